//! Rows as bytes, the same for every engine and both load clients (`packages/engine/src/stored-rows.ts`): keys in the order of
//! their values.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Reply, Type};
use serde::Deserialize;
use serde_json::Value;

use crate::engine::{Result, invalid};

/// The bit that puts negative numbers first.
const SIGN: u64 = 1 << 63;
/// Before a text or bytes.
const LENGTH_BYTES: usize = 4;

/// A table, as an endpoint's options name it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableShape {
    /// How many of the first columns form the key.
    pub key_columns: usize,
    /// The columns.
    pub columns: Vec<ColumnShape>,
}

/// A column.
#[derive(Clone, Debug, Deserialize)]
pub struct ColumnShape {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
}

/// A table as it is stored.
#[derive(Debug)]
pub struct Table {
    number: u8,
    columns: Box<[Type]>,
    key_columns: usize,
    key_bytes: usize,
    whole: Whole,
}

/// Where the cells of a value are whose texts and bytes have the lengths of their columns, as nearly all have.
#[derive(Debug)]
struct Whole {
    bytes: usize,
    /// Where the lengths stand, and what they are.
    lengths: Box<[(usize, [u8; LENGTH_BYTES])]>,
    /// The words of texts and bytes, as in a reply whose bytes begin with the value; 0 for the others.
    cells: Box<[u64]>,
    /// The others: which cells they are, and where their bytes are.
    words: Box<[(usize, Range<usize>)]>,
}

impl Table {
    /// Of a table's number and shape.
    ///
    /// # Errors
    /// When a row of it has no such form.
    pub fn new(number: usize, shape: &TableShape) -> Result<Self> {
        let number =
            u8::try_from(number).map_err(|_| invalid(format!("table {number}: at most 256 tables")))?;
        let columns: Box<[Type]> = shape.columns.iter().map(|column| column.kind).collect();
        let keys = columns.get(..shape.key_columns).filter(|keys| !keys.is_empty());
        let keys =
            keys.ok_or_else(|| invalid(format!("table {number}: {} columns of its key", shape.key_columns)))?;
        let widths = keys.iter().map(|kind| width(*kind).ok_or(kind));
        let key_bytes = widths.sum::<Result<usize, _>>();
        let key_bytes = key_bytes
            .map_err(|kind| invalid(format!("table {number}: a key of {kind:?} is not supported")))?;
        let whole = Whole::new(&columns[shape.key_columns..]);
        Ok(Self { number, key_columns: shape.key_columns, key_bytes: key_bytes + 1, columns, whole })
    }

    /// How many columns form the key.
    #[must_use]
    pub const fn key_columns(&self) -> usize {
        self.key_columns
    }

    /// The types of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Type] {
        &self.columns
    }

    /// The type of a column that is not in the key.
    #[must_use]
    pub fn value_column(&self, place: usize) -> Option<Type> {
        self.columns.get(place).filter(|_| place >= self.key_columns).copied()
    }

    /// Begins a key, to which words are appended.
    #[inline]
    pub fn begin_key(&self, key: &mut Vec<u8>) {
        key.clear();
        key.push(self.number);
    }

    /// Appends the word of a key's next column.
    #[inline]
    pub fn push_key(&self, place: usize, word: u64, key: &mut Vec<u8>) {
        if let Some(kind) = self.columns.get(place) {
            push_word(*kind, word, key);
        }
    }

    /// Fills the rest of a key that has fewer columns: the least or the greatest that begins with it.
    pub fn fill_key(&self, with: u8, key: &mut Vec<u8>) {
        key.resize(self.key_bytes, with);
    }

    /// Appends a stored row; whether the bytes are one.
    #[inline]
    #[must_use]
    pub fn push_row(&self, key: &[u8], value: &[u8], reply: &mut Reply) -> bool {
        let mut rest = key.get(1..).unwrap_or_default();
        let (keys, others) = self.columns.split_at(self.key_columns);
        for kind in keys {
            let Some((cell, after)) = split(*kind, rest) else { return false };
            reply.push(word_of(cell));
            rest = after;
        }
        if !rest.is_empty() {
            return false;
        }
        // All at once: a copy for each column costs more than the few bytes between them.
        let begin = reply.push_bytes(value);
        if self.whole.is(value) {
            self.whole.push(value, begin, reply);
            return true;
        }
        rest = value;
        for kind in others {
            let Some((cell, after)) = split(*kind, rest) else { return false };
            match kind {
                Type::Text { .. } | Type::Bytes { .. } => {
                    reply.push_part(begin + value.len() - after.len() - cell.len(), cell.len());
                }
                _ => reply.push(word_of(cell)),
            }
            rest = after;
        }
        rest.is_empty()
    }

    /// The word of a column that is not in the key; `None` where the bytes are no row.
    #[inline]
    #[must_use]
    pub fn word(&self, value: &[u8], place: usize) -> Option<u64> {
        self.cell(value, place).map(|cell| word_of(&value[cell]))
    }

    /// Writes the word of a column that is not in the key; whether the bytes are a row.
    #[must_use]
    pub fn set_word(&self, value: &mut [u8], place: usize, word: u64) -> bool {
        let Some(cell) = self.cell(value, place) else { return false };
        match &mut value[cell] {
            [flag] => *flag = u8::from(word != 0),
            cell if cell.len() == 4 => cell.copy_from_slice(&(word as u32).to_be_bytes()),
            cell => cell.copy_from_slice(&(word ^ SIGN).to_be_bytes()),
        }
        true
    }

    /// Writes the text or the bytes of a column that is not in the key; whether the bytes are a row.
    #[must_use]
    pub fn set_content(&self, value: &mut Vec<u8>, place: usize, content: &[u8]) -> bool {
        let Some(cell) = self.cell(value, place) else { return false };
        if cell.len() == content.len() {
            value[cell].copy_from_slice(content);
            return true;
        }
        let length = (content.len() as u32).to_be_bytes();
        value[cell.start - LENGTH_BYTES..cell.start].copy_from_slice(&length);
        drop(value.splice(cell, content.iter().copied()));
        true
    }

    /// Where the bytes of a column are in a value.
    #[inline]
    fn cell(&self, value: &[u8], place: usize) -> Option<Range<usize>> {
        let mut rest = value;
        for kind in self.columns.get(self.key_columns..place)? {
            rest = split(*kind, rest)?.1;
        }
        let (cell, after) = split(*self.columns.get(place)?, rest)?;
        let end = value.len() - after.len();
        Some(end - cell.len()..end)
    }

    /// A row of JSON as key and value.
    ///
    /// # Errors
    /// When a value is not of its column's type.
    pub fn parse_row(&self, row: &[Value], key: &mut Vec<u8>, value: &mut Vec<u8>) -> Result<()> {
        if row.len() != self.columns.len() {
            return Err(invalid(format!("a row has {} columns, got {}", self.columns.len(), row.len())));
        }
        self.parse_key(row, key)?;
        value.clear();
        for (kind, json) in self.columns.iter().zip(row).skip(self.key_columns) {
            match kind {
                Type::Text { .. } | Type::Bytes { .. } => push_content(&content(*kind, json)?, value),
                kind => push_word(*kind, word(*kind, json)?, value),
            }
        }
        Ok(())
    }

    /// The key of a row of JSON.
    ///
    /// # Errors
    /// When a value is not of its column's type.
    pub fn parse_key(&self, row: &[Value], key: &mut Vec<u8>) -> Result<()> {
        if row.len() < self.key_columns {
            return Err(invalid(format!("a key has {} columns, got {}", self.key_columns, row.len())));
        }
        self.begin_key(key);
        for (place, json) in row.iter().take(self.key_columns).enumerate() {
            self.push_key(place, word(self.columns[place], json)?, key);
        }
        Ok(())
    }

    /// A stored row as JSON.
    ///
    /// # Errors
    /// When the bytes are no row of it.
    pub fn row_json(&self, key: &[u8], value: &[u8]) -> Result<Value> {
        let mut row = Reply::new(self.columns.len());
        if !self.push_row(key, value, &mut row) {
            return Err(invalid(format!("{} bytes under a key of {} are no row", value.len(), key.len())));
        }
        Ok(row.to_json(&self.columns).get_mut(0).map(Value::take).unwrap_or_default())
    }
}

impl Whole {
    fn new(columns: &[Type]) -> Self {
        let (mut bytes, mut lengths, mut cells, mut words) = (0, Vec::new(), Vec::new(), Vec::new());
        for kind in columns {
            match *kind {
                Type::Text { length } | Type::Bytes { length } => {
                    lengths.push((bytes, length.to_be_bytes()));
                    bytes += LENGTH_BYTES;
                    cells.push((bytes as u64) << 32 | u64::from(length));
                    bytes += length as usize;
                }
                kind => {
                    let end = bytes + width(kind).unwrap_or_default();
                    words.push((cells.len(), bytes..end));
                    cells.push(0);
                    bytes = end;
                }
            }
        }
        Self { bytes, lengths: lengths.into(), cells: cells.into(), words: words.into() }
    }

    #[inline]
    fn is(&self, value: &[u8]) -> bool {
        let is_there = |(at, length): &(usize, [u8; LENGTH_BYTES])| value[*at..*at + LENGTH_BYTES] == *length;
        value.len() == self.bytes && self.lengths.iter().all(is_there)
    }

    #[inline]
    fn push(&self, value: &[u8], begin: usize, reply: &mut Reply) {
        let cells = reply.push_all(&self.cells);
        if begin > 0 {
            cells.iter_mut().for_each(|cell| *cell += (begin as u64) << 32);
        }
        for (cell, bytes) in &self.words {
            cells[*cell] = word_of(&value[bytes.clone()]);
        }
    }
}

/// Appends a word of a type that is no text and no bytes.
#[inline]
pub fn push_word(kind: Type, word: u64, bytes: &mut Vec<u8>) {
    match kind {
        Type::Key => bytes.extend_from_slice(&(word as u32).to_be_bytes()),
        Type::Bool => bytes.push(u8::from(word != 0)),
        _ => bytes.extend_from_slice(&(word ^ SIGN).to_be_bytes()),
    }
}

/// Appends a text or bytes.
#[inline]
pub fn push_content(content: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
    bytes.extend_from_slice(content);
}

/// A column's own bytes, and what comes after them.
#[inline]
fn split(kind: Type, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match width(kind) {
        Some(width) => bytes.split_at_checked(width),
        None => {
            let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
            rest.split_at_checked(u32::from_be_bytes(*length) as usize)
        }
    }
}

/// The word of a column's own bytes.
#[inline]
fn word_of(cell: &[u8]) -> u64 {
    match *cell {
        [flag] => u64::from(flag != 0),
        [a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
        _ => cell.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes) ^ SIGN),
    }
}

/// `None` where the length stands before the bytes.
const fn width(kind: Type) -> Option<usize> {
    match kind {
        Type::Key => Some(4),
        Type::Int64 => Some(8),
        Type::Bool => Some(1),
        Type::Text { .. } | Type::Bytes { .. } => None,
    }
}

fn word(kind: Type, json: &Value) -> Result<u64> {
    let word = match kind {
        Type::Key => json.as_u64().and_then(|key| u32::try_from(key).ok()).map(u64::from),
        Type::Int64 => json.as_str().and_then(|text| text.parse::<i64>().ok()).map(|number| number as u64),
        Type::Bool => json.as_bool().map(u64::from),
        Type::Text { .. } | Type::Bytes { .. } => None,
    };
    word.ok_or_else(|| invalid(format!("expected {kind:?}, got {json}")))
}

fn content(kind: Type, json: &Value) -> Result<Vec<u8>> {
    let text = json.as_str().ok_or_else(|| invalid(format!("expected {kind:?}, got {json}")))?;
    if matches!(kind, Type::Text { .. }) {
        return Ok(text.as_bytes().to_vec());
    }
    STANDARD.decode(text).map_err(|_| invalid(format!("expected {kind:?}, got {json}")))
}
