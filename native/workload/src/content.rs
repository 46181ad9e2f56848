//! Text and bytes that name who wrote them: an origin, a slice of a seeded pool, and the slice's offset with a
//! check. Drawing copies; it computes nothing per character.

use crate::description::Type;
use crate::seeding::{Purpose, seed_words};
use crate::xoshiro::Xoshiro128;

const POOL_BYTES: usize = 1 << 20;
/// Shorter content is the slice alone, and names nobody.
const TEXT_NAMING: usize = 24;
const BYTES_NAMING: usize = 12;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &[u8; 16] = b"0123456789abcdef";

pub(crate) struct Pool {
    bytes: Box<[u8]>,
    text: Box<[u8]>,
}

impl Pool {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Xoshiro128::new(seed_words(seed, 0, Purpose::ContentPool));
        let words = std::iter::repeat_with(|| random.next_u32().to_le_bytes());
        let bytes: Box<[u8]> = words.take(POOL_BYTES / 4).flatten().collect();
        let text = bytes.iter().map(|byte| ALPHABET[(usize::from(*byte) * 62) >> 8]).collect();
        Self { bytes, text }
    }

    /// Appends text or bytes of an origin; `word` decides the slice.
    pub(crate) fn write(&self, kind: Type, origin: (u32, u32), word: u32, output: &mut Vec<u8>) {
        let (pool, length, naming) = match kind {
            Type::Text { length } => (&self.text, length as usize, TEXT_NAMING),
            Type::Bytes { length } => (&self.bytes, length as usize, BYTES_NAMING),
            Type::Key | Type::Int64 | Type::Bool => return,
        };
        if length < naming {
            let offset = scale(word, POOL_BYTES - length + 1);
            return output.extend_from_slice(&pool[offset..offset + length]);
        }
        let body = length - naming;
        let offset = scale(word, POOL_BYTES - body);
        let (high, low) = origin;
        let trailer = trailer(high, low, offset as u32);
        if naming == TEXT_NAMING {
            output.extend_from_slice(&hex(high));
            output.extend_from_slice(&hex(low));
        } else {
            output.extend_from_slice(&high.to_be_bytes());
            output.extend_from_slice(&low.to_be_bytes());
        }
        output.extend_from_slice(&pool[offset..offset + body]);
        if naming == TEXT_NAMING {
            output.extend_from_slice(&hex(trailer));
        } else {
            output.extend_from_slice(&trailer.to_be_bytes());
        }
    }
}

/// 20 bits of offset, then 12 that check it and the origin.
fn trailer(high: u32, low: u32, offset: u32) -> u32 {
    let check = mix(mix(mix(high) ^ low) ^ offset);
    offset << 12 | check >> 20
}

/// The finalizer of MurmurHash3 for 32 bits.
const fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

fn scale(word: u32, count: usize) -> usize {
    ((u64::from(word) * count as u64) >> 32) as usize
}

fn hex(word: u32) -> [u8; 8] {
    std::array::from_fn(|digit| HEX[(word >> (28 - 4 * digit)) as usize & 15])
}
