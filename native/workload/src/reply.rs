//! An operation's result: a word per value, and the bytes of longer ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::content::{hash_step, hex_at, mix};
use crate::workload::Type;

const TEXT_NAMING: usize = 24;
const BYTES_NAMING: usize = 12;
/// The version of a missing row; no value has it.
pub(crate) const ABSENT: u64 = u64::MAX;

/// Rows, or fields as one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    columns: usize,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl Reply {
    /// No row of so many columns.
    #[must_use]
    pub const fn new(columns: usize) -> Self {
        Self { columns, words: Vec::new(), bytes: Vec::new() }
    }

    /// Appends a value: a key or an int64 in two's complement, 0 or 1 for a bool.
    #[inline]
    pub fn push(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Appends values, as `push` does each, or `push_part`; returns them, to be changed.
    #[inline]
    pub fn push_all(&mut self, words: &[u64]) -> &mut [u64] {
        let first = self.words.len();
        self.words.extend_from_slice(words);
        &mut self.words[first..]
    }

    /// Appends text or bytes.
    pub fn push_content(&mut self, content: &[u8]) {
        self.words.push((self.bytes.len() as u64) << 32 | content.len() as u64);
        self.bytes.extend_from_slice(content);
    }

    /// Appends the bytes of several texts or bytes, which `push_part` makes values of; where they begin.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8]) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        begin
    }

    /// Appends text or bytes that are there already.
    #[inline]
    pub fn push_part(&mut self, begin: usize, length: usize) {
        self.words.push((begin as u64) << 32 | length as u64);
    }

    /// Appends text or bytes that are written in place; none when writing fails.
    ///
    /// # Errors
    /// That of `write`.
    pub fn push_written<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let begin = self.bytes.len();
        write(&mut self.bytes)?;
        self.words.push((begin as u64) << 32 | (self.bytes.len() - begin) as u64);
        Ok(())
    }

    /// Of no row again, of so many columns.
    #[inline]
    pub fn clear(&mut self, columns: usize) {
        self.columns = columns;
        self.words.clear();
        self.bytes.clear();
    }

    /// Row by row.
    #[inline]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        let columns = self.columns.max(1);
        self.words[..self.count() * columns].chunks(columns)
    }

    /// How many rows.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        // Most replies have one, and a division takes longer than the rest of a row's check.
        let columns = self.columns.max(1);
        if self.words.len() == columns { 1 } else { self.words.len() / columns }
    }

    /// Its rows as the golden vectors write values: a key is a number, an int64 a decimal string, bytes are base64.
    #[must_use]
    pub fn to_json(&self, kinds: &[Type]) -> Value {
        let cell = |(word, kind): (&u64, &Type)| match kind {
            Type::Key => Value::from(*word),
            Type::Int64 => Value::from((*word as i64).to_string()),
            Type::Bool => Value::from(*word != 0),
            Type::Text { .. } => Value::from(String::from_utf8_lossy(self.content(*word)).into_owned()),
            Type::Bytes { .. } => Value::from(STANDARD.encode(self.content(*word))),
        };
        Value::Array(self.rows().map(|row| row.iter().zip(kinds).map(cell).collect()).collect())
    }

    /// The text or the bytes that a word stands for.
    #[inline]
    pub(crate) fn content(&self, word: u64) -> &[u8] {
        let (begin, length) = ((word >> 32) as usize, word as u32 as usize);
        self.bytes.get(begin..begin + length).unwrap_or_default()
    }

    /// Section 10: the 8 bytes that represent a value in the log of a read. Equal values have equal versions.
    pub(crate) fn version(&self, kind: Type, word: u64) -> u64 {
        match kind {
            Type::Int64 => word,
            Type::Key | Type::Bool => word & 0xffff_ffff,
            Type::Text { .. } => {
                let text = self.content(word);
                let named =
                    (text.len() >= TEXT_NAMING).then(|| hex_at(text, 0).zip(hex_at(text, 8))).flatten();
                named.map_or_else(|| hash(text, true), |(high, low)| u64::from(high) << 32 | u64::from(low))
            }
            Type::Bytes { .. } => match self.content(word) {
                bytes if bytes.len() < BYTES_NAMING => hash(bytes, false),
                bytes => bytes.first_chunk().map_or(0, |first| u64::from_be_bytes(*first)),
            },
        }
    }
}

/// Whether values of a type say which operation wrote them.
pub(crate) const fn names_writer(kind: Type) -> bool {
    match kind {
        Type::Text { length } => length as usize >= TEXT_NAMING,
        Type::Bytes { length } => length as usize >= BYTES_NAMING,
        Type::Key | Type::Int64 | Type::Bool => false,
    }
}

/// Of a text the first word is mixed after its length and after its last character, of bytes after each.
fn hash(content: &[u8], is_text: bool) -> u64 {
    let mut state = (0x9e37_79b9, 0x85eb_ca6b);
    hash_step(&mut state, content.len() as u32, true);
    for (index, byte) in content.iter().enumerate() {
        hash_step(&mut state, u32::from(*byte), !is_text || index + 1 == content.len());
    }
    let (mut a, b) = state;
    if is_text && content.is_empty() {
        a ^= a >> 15;
    }
    let (high, low) = (mix(a ^ mix(b)), mix(b.wrapping_add(a.wrapping_mul(0x27d4_eb2f))));
    u64::from(high) << 32 | u64::from(low)
}
