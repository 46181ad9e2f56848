//! Text and bytes that name their writer: an origin, a slice of a seeded pool, and the slice's offset with a check.
//! Drawing only copies.

use crate::seeding::{Purpose, seed_words};
use crate::workload::Type;
use crate::xoshiro::Xoshiro128;

const POOL_BYTES: usize = 1 << 20;
/// Shorter content is the slice alone, and names nobody.
const TEXT_NAMING: usize = 24;
const BYTES_NAMING: usize = 12;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &[u8; 16] = b"0123456789abcdef";

/// The word at a place of some content.
type WordAt = fn(&[u8], usize) -> Option<u32>;

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

    /// Whether content that should name its writer does, and is untorn; shorter content names nobody.
    pub(crate) fn is_whole(&self, kind: Type, content: &[u8]) -> bool {
        let (pool, naming, is_text) = match kind {
            Type::Text { .. } => (&self.text, TEXT_NAMING, true),
            Type::Bytes { .. } => (&self.bytes, BYTES_NAMING, false),
            Type::Key | Type::Int64 | Type::Bool => return true,
        };
        let Some(body) = content.len().checked_sub(naming) else { return true };
        let (at, width): (WordAt, _) = if is_text { (hex_at, 8) } else { (word_at, 4) };
        let words = [at(content, 0), at(content, width), at(content, 2 * width + body)];
        let [Some(high), Some(low), Some(last)] = words else { return false };
        let offset = (last >> 12) as usize;
        trailer(high, low, offset as u32) == last
            && pool.get(offset..offset + body) == content.get(2 * width..2 * width + body)
    }

    /// Appends text or bytes of an origin; `word` decides the slice.
    #[inline]
    pub(crate) fn write(&self, kind: Type, origin: (u32, u32), word: u32, output: &mut Vec<u8>) {
        match kind {
            Type::Text { length } => {
                let Some((body, trailer)) = named(&self.text, length, TEXT_NAMING, origin, word) else {
                    return output.extend_from_slice(unnamed(&self.text, length, word));
                };
                output.extend_from_slice(&hex(origin.0));
                output.extend_from_slice(&hex(origin.1));
                output.extend_from_slice(body);
                output.extend_from_slice(&hex(trailer));
            }
            Type::Bytes { length } => {
                let Some((body, trailer)) = named(&self.bytes, length, BYTES_NAMING, origin, word) else {
                    return output.extend_from_slice(unnamed(&self.bytes, length, word));
                };
                output.extend_from_slice(&origin.0.to_be_bytes());
                output.extend_from_slice(&origin.1.to_be_bytes());
                output.extend_from_slice(body);
                output.extend_from_slice(&trailer.to_be_bytes());
            }
            Type::Key | Type::Int64 | Type::Bool => {}
        }
    }

    /// Whether content is what `write` appends.
    #[inline]
    pub(crate) fn is_written(&self, kind: Type, origin: (u32, u32), word: u32, content: &[u8]) -> bool {
        match kind {
            Type::Text { length } => match named(&self.text, length, TEXT_NAMING, origin, word) {
                Some((body, trailer)) => {
                    is_framed(content, (&hex(origin.0), &hex(origin.1)), body, &hex(trailer))
                }
                None => content == unnamed(&self.text, length, word),
            },
            Type::Bytes { length } => match named(&self.bytes, length, BYTES_NAMING, origin, word) {
                Some((body, trailer)) => {
                    let head = (&origin.0.to_be_bytes(), &origin.1.to_be_bytes());
                    is_framed(content, head, body, &trailer.to_be_bytes())
                }
                None => content == unnamed(&self.bytes, length, word),
            },
            Type::Key | Type::Int64 | Type::Bool => content.is_empty(),
        }
    }
}

/// The slice and the trailer of content that names its origin; `None` of shorter content.
#[inline]
fn named(
    pool: &[u8],
    length: u32,
    naming: usize,
    (high, low): (u32, u32),
    word: u32,
) -> Option<(&[u8], u32)> {
    let body = (length as usize).checked_sub(naming)?;
    let offset = scale(word, POOL_BYTES - body);
    Some((&pool[offset..offset + body], trailer(high, low, offset as u32)))
}

#[inline]
fn unnamed(pool: &[u8], length: u32, word: u32) -> &[u8] {
    let offset = scale(word, POOL_BYTES - length as usize + 1);
    &pool[offset..offset + length as usize]
}

/// Whether content is two words of an origin, a body and a trailer.
#[inline]
fn is_framed<const WIDTH: usize>(
    content: &[u8],
    (high, low): (&[u8; WIDTH], &[u8; WIDTH]),
    body: &[u8],
    trailer: &[u8; WIDTH],
) -> bool {
    let Some((first, rest)) = content.split_first_chunk::<WIDTH>() else { return false };
    let Some((second, rest)) = rest.split_first_chunk::<WIDTH>() else { return false };
    let Some((middle, last)) = rest.split_last_chunk::<WIDTH>() else { return false };
    first == high && second == low && last == trailer && middle == body
}

/// A step of the hash of short texts and bytes.
pub(crate) const fn hash_step((a, b): &mut (u32, u32), word: u32, is_mixed: bool) {
    *a = (*a ^ word).wrapping_mul(0x0100_0193);
    *b = b.wrapping_add(word).wrapping_mul(0xc2b2_ae35) ^ (*b >> 13);
    if is_mixed {
        *a ^= *a >> 15;
    }
}

/// What each byte says as a lower-case hexadecimal digit; others have a bit above the lowest four.
static DIGITS: [u8; 256] = {
    let mut digits = [u8::MAX; 256];
    let mut value = 0;
    while value < HEX.len() {
        digits[HEX[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// The word that 8 lower-case hexadecimal digits say.
#[inline]
pub(crate) fn hex_at(text: &[u8], from: usize) -> Option<u32> {
    let digits: &[u8; 8] = text.get(from..)?.first_chunk()?;
    let mut all = 0;
    let word = digits.iter().fold(0, |word: u32, digit| {
        let value = DIGITS[usize::from(*digit)];
        all |= value;
        word << 4 | u32::from(value & 15)
    });
    (all < 16).then_some(word)
}

fn word_at(bytes: &[u8], from: usize) -> Option<u32> {
    bytes.get(from..from + 4)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

/// 20 bits of offset, then 12 that check it and the origin.
#[inline]
fn trailer(high: u32, low: u32, offset: u32) -> u32 {
    let check = mix(mix(mix(high) ^ low) ^ offset);
    offset << 12 | check >> 20
}

/// The finalizer of MurmurHash3 for 32 bits.
#[inline]
pub(crate) const fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

#[inline]
pub(crate) fn scale(word: u32, count: usize) -> usize {
    ((u64::from(word) * count as u64) >> 32) as usize
}

/// All digits at once: four bits in each byte, the most significant first.
#[inline]
const fn hex(word: u32) -> [u8; 8] {
    let mut digits = word as u64;
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff;
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff;
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in the bytes above nine, which are letters.
    let letters = ((digits + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    (digits + 0x3030_3030_3030_3030 + letters * (b'a' - b'0' - 10) as u64).to_be_bytes()
}
