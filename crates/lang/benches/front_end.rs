//! The front end's speed: lines per second from text to IR on one core, and bytes of memory per byte of source.
//!
//! `cargo bench -p fabius-lang --bench front_end` compiles a generated project of 200,000 lines several times and prints
//! the best and the median run, the share of each stage, and the peak of live memory. Wall time swings on shared
//! machines: compare figures of one run, or count instructions with `valgrind --tool=callgrind` and one repetition
//! (`-- --repeat 1`).

use fabius_lang::check::check;
use fabius_lang::ir::lower;
use fabius_lang::source::{Diagnostics, SourceMap};
use fabius_lang::syntax::parse;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Counts live bytes and their peak.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call is handed to the system's allocator unchanged; only counters are kept beside it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        add(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LINES: usize = 200_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let repeat = arguments.iter().position(|argument| argument == "--repeat");
    let repeat: usize = repeat.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(9);
    let files = generate(LINES);
    let lines: usize = files.iter().map(|(_, text)| text.lines().count()).sum();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!("{} files, {lines} lines, {bytes} bytes of P", files.len());

    let mut runs: Vec<[Duration; 4]> = (0..repeat).map(|_| run(&files)).collect();
    runs.sort_by_key(total);
    let rate = |run: &[Duration; 4]| lines as f64 / total(run).as_secs_f64();
    println!("best   {:>12.0} lines/s", rate(&runs[0]));
    println!("median {:>12.0} lines/s", rate(&runs[repeat / 2]));
    for (stage, time) in ["load", "parse", "check", "lower"].iter().zip(runs[0]) {
        println!("  {stage:6} {:>8.1} ms", time.as_secs_f64() * 1e3);
    }

    // The text itself is held by the generator and by the source map; only the latter counts.
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run(&files);
    let peak = PEAK.load(Ordering::Relaxed) - before;
    println!("peak memory {:.1} MB, {:.1} times the source", peak as f64 / 1e6, peak as f64 / bytes as f64);
}

fn total(run: &[Duration; 4]) -> Duration {
    run.iter().sum()
}

fn run(files: &[(String, String)]) -> [Duration; 4] {
    let mut times = [Duration::ZERO; 4];
    let mut last = Instant::now();
    let mut lap = |stage: usize| {
        times[stage] = last.elapsed();
        last = Instant::now();
    };
    let mut sources = SourceMap::default();
    for (path, text) in files {
        sources.add(path.as_str(), text.as_str(), false).expect("the project fits the address space");
    }
    lap(0);
    let mut diagnostics = Diagnostics::default();
    let tree = parse(&sources, &mut diagnostics);
    lap(1);
    let checked = check(&tree, &sources, &mut diagnostics);
    lap(2);
    let errors: Vec<_> =
        diagnostics.iter().filter(|found| found.severity().name() == "error").take(3).collect();
    assert!(errors.is_empty(), "the generated project is right: {errors:?}");
    let program = lower(tree, checked);
    lap(3);
    assert_eq!(program.tests.len(), files.len());
    times
}

/// A project of about `lines` lines: replicated key-value stores with clients, specs and tests, a file each.
fn generate(lines: usize) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut written = 0;
    while written < lines {
        let mut text = String::new();
        store(&mut text, files.len(), 20);
        written += text.lines().count();
        files.push((format!("PSrc/Store{}.p", files.len()), text));
    }
    files
}

fn store(text: &mut String, n: usize, handlers: usize) {
    let mut line = |content: String| writeln!(text, "{content}").expect("writing to a string succeeds");
    line(format!("/* store number {n}: a primary with replicas, and clients that read and write */"));
    line(format!("type tRequest{n} = (client: Client{n}, key: string, value: int, round: int);"));
    line(format!("enum tStatus{n} {{ OK_{n}, BUSY_{n}, LOST_{n} }}"));
    for at in 0..handlers {
        line(format!("event eWrite{n}_{at}: tRequest{n};"));
        line(format!("event eReply{n}_{at}: (status: tStatus{n}, round: int);"));
    }
    line(format!("machine Store{n} {{"));
    line("  var items: map[string, int];".into());
    line("  var log: seq[(key: string, value: int)];".into());
    line(format!("  var waiting: set[Client{n}];"));
    line("  var round: int;".into());
    line("  start state Init {".into());
    line("    entry {".into());
    line("      round = 0;".into());
    line("      goto Serving;".into());
    line("    }".into());
    line("  }".into());
    line("  state Serving {".into());
    for at in 0..handlers {
        line(format!("    // write number {at}"));
        line(format!("    on eWrite{n}_{at} do (request: tRequest{n}) {{"));
        line("      var position: int;".into());
        line("      var entry_: (key: string, value: int);".into());
        line("      if (request.round < round && !(request.key in items)) {".into());
        line(format!("        send request.client, eReply{n}_{at}, (status = BUSY_{n}, round = round);"));
        line("        return;".into());
        line("      }".into());
        line("      items[request.key] = request.value + 1;".into());
        line("      log += (sizeof(log), (key = request.key, value = items[request.key]));".into());
        line("      position = 0;".into());
        line("      while (position < sizeof(log)) {".into());
        line(
            "        if (log[position].key == request.key && log[position].value > request.value + 2) {"
                .into(),
        );
        line("          log[position].value = request.value;".into());
        line("          break;".into());
        line("        }".into());
        line("        position = position + 1;".into());
        line("      }".into());
        line("      foreach (entry_ in log) {".into());
        line("        assert entry_.value >= 0, format(\"negative value {0} under {1}\", entry_.value, entry_.key);".into());
        line("      }".into());
        line("      waiting += (request.client);".into());
        line(format!("      round = Next{n}(round, request.round);"));
        line(format!("      send request.client, eReply{n}_{at}, (status = OK_{n}, round = round);"));
        line("    }".into());
    }
    line("  }".into());
    line("}".into());
    line(format!("fun Next{n}(a: int, b: int): int {{"));
    line("  if (a > b) { return a + 1; }".into());
    line("  return b + 1;".into());
    line("}".into());
    line(format!("machine Client{n} {{"));
    line(format!("  var store: Store{n};"));
    line("  var sent: int;".into());
    line("  start state Init {".into());
    line("    entry {".into());
    line(format!("      store = new Store{n}();"));
    line("      while (sent < 3) {".into());
    line("        sent = sent + 1;".into());
    line(format!(
        "        send store, eWrite{n}_0, (client = this, key = \"k\", value = choose(10), round = sent);"
    ));
    for at in 1..handlers {
        line(format!(
            "        if ($) {{ send store, eWrite{n}_{at}, (client = this, key = \"k{at}\", value = {at}, round = sent); }}"
        ));
    }
    line("      }".into());
    line("    }".into());
    for at in 0..handlers {
        line(format!("    on eReply{n}_{at} do (reply: (status: tStatus{n}, round: int)) {{"));
        line(format!("      assert reply.status != LOST_{n}, \"a write was lost\";"));
        line("      sent = sent - 1;".into());
        line("    }".into());
    }
    line("  }".into());
    line("}".into());
    line(format!("spec RoundsGrow{n} observes eReply{n}_0 {{"));
    line("  var last: int;".into());
    line("  start state Watching {".into());
    line(format!("    on eReply{n}_0 do (reply: (status: tStatus{n}, round: int)) {{"));
    line("      assert reply.round >= last, format(\"round {0} after {1}\", reply.round, last);".into());
    line("      last = reply.round;".into());
    line("    }".into());
    line("  }".into());
    line("}".into());
    line(format!("test tcStore{n} [main=Client{n}]: assert RoundsGrow{n} in {{ Store{n}, Client{n} }};"));
}
