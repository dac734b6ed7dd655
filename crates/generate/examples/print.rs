//! Prints the program of a seed: `cargo run -p fabius-generate --example print 42`.

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    print!("{}", fabius_generate::program(seed, &fabius_generate::Size::default()));
}
