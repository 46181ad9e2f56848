//! Section 5: ids as a seeded permutation of the ranks.

use crate::seeding::{Purpose, seed_words};

/// A bijection of 0 … size − 1.
#[derive(Clone, Debug)]
pub struct Permutation {
    size: u64,
    mask: u32,
    shift: u32,
    words: [u32; 8],
}

impl Permutation {
    /// Of the keys of a table; `size` is 1 … 2³².
    #[must_use]
    pub fn new(seed: u64, table: u32, size: u64) -> Self {
        let bits = 64 - (size - 1).leading_zeros();
        let mask = ((1_u64 << bits) - 1) as u32;
        Self { size, mask, shift: bits.div_ceil(2), words: seed_words(seed, 0, Purpose::Permutation(table)) }
    }

    /// The id of a rank's index.
    #[inline]
    #[must_use]
    pub fn apply(&self, index: u32) -> u32 {
        let Self { size, mask, shift, words: [w0, w1, w2, w3, w4, w5, w6, _] } = *self;
        let round = |x: u32, multiply: u32, add: u32| {
            (x ^ (x >> shift)).wrapping_mul(multiply | 1).wrapping_add(add) & mask
        };
        let mut x = index;
        loop {
            x = x.wrapping_add(w0) & mask;
            x = round(x, w4, w1);
            x = round(x, w5, w2);
            x = round(x, w6, w3);
            if u64::from(x) < size {
                return x;
            }
        }
    }
}
