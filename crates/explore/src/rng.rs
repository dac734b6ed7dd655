//! Random numbers that are the same everywhere and for ever.
//!
//! xoshiro256++ — Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", TOMS 2021 — seeded by
//! SplitMix64 — Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. Both are written
//! here because a seed that somebody noted must give the same run after any upgrade of any library; the tests hold
//! their published values.

/// The increment of SplitMix64: the odd number nearest to 2^64 divided by the golden ratio.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number of a SplitMix64 stream.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GOLDEN_GAMMA);
    mix(*state)
}

/// The seed of run number `run` in a search with seed `seed`.
pub fn run_seed(seed: u64, run: u64) -> u64 {
    // The seed is mixed first: otherwise the runs of seed `s + GOLDEN_GAMMA` would be those of `s`, moved by one.
    mix(mix(seed).wrapping_add(run.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    // Invariant: not all zero, for then every number would be zero.
    state: [u64; 4],
}

impl Rng {
    /// The stream that belongs to a seed.
    pub fn from_seed(seed: u64) -> Rng {
        let mut mixer = seed;
        // Four successive outputs of SplitMix64 are never all zero: `mix` is a bijection of different inputs.
        Rng { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// The stream of xoshiro256++ that continues from this inner state, which must not be all zero.
    pub fn from_state(state: [u64; 4]) -> Rng {
        assert!(state != [0; 4], "the all-zero state of xoshiro256++ generates only zeros");
        Rng { state }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, which must be positive, all with exactly the same probability.
    ///
    /// Lemire, "Fast Random Integer Generation in an Interval", TOMACS 2019.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0, "there is no number below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let rejected = bound.wrapping_neg() % bound;
            while (product as u64) < rejected {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A position in a list of `length` elements, which must not be empty.
    #[inline]
    pub fn position(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }
}
