//! Section 1: words of splitmix64 (Steele, Lea & Flood 2014) for a seed, a session and a purpose.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a sequence of words is for; sequences of different purposes are independent.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// The state of a session's generator.
    Operations,
    /// The constants of the permutation of a table's keys.
    Permutation(u32),
    /// The state of the generator of text and bytes.
    ContentPool,
    /// The seeded values of a column of a table.
    SeededColumn(u32, u32),
}

impl Purpose {
    const fn number(self) -> u64 {
        match self {
            Self::Operations => 1,
            Self::Permutation(0) => 2,
            Self::Permutation(table) => 256 + table as u64,
            Self::ContentPool => 3,
            Self::SeededColumn(table, column) => 65_536 + 256 * table as u64 + column as u64,
        }
    }
}

/// `N` words, N even; two of each 64-bit output, the low one first.
#[must_use]
pub fn seed_words<const N: usize>(seed: u64, session: u64, purpose: Purpose) -> [u32; N] {
    let mut state = mix(seed.wrapping_add(GOLDEN));
    state = mix((state ^ session).wrapping_add(GOLDEN));
    state = mix((state ^ purpose.number()).wrapping_add(GOLDEN));
    let mut words = [0; N];
    for pair in words.chunks_exact_mut(2) {
        state = state.wrapping_add(GOLDEN);
        let output = mix(state);
        pair[0] = output as u32;
        pair[1] = (output >> 32) as u32;
    }
    words
}

/// The finalizer of splitmix64: a bijection of 64-bit integers.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
