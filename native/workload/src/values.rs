//! The drawn arguments of one operation: a word each, and the bytes of longer ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::error::WorkloadError;
use crate::workload::{Argument, Operation, Source, Type};

/// An operation's number and its arguments. Drawing into it again allocates nothing once it has been as large.
#[derive(Debug, Default)]
pub struct Values {
    /// The operation's number.
    pub operation: u32,
    /// How many operations the session drew before it, modulo 2³².
    pub sequence: u32,
    /// The arguments by their places; a list's says where its records are.
    pub(crate) words: Vec<u64>,
    /// The records of lists, field by field.
    pub(crate) records: Vec<u64>,
    /// Text and bytes; their words are where they begin.
    pub(crate) bytes: Vec<u8>,
}

/// The records of a list argument.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    values: &'a Values,
    first: usize,
    length: usize,
}

impl Clone for Values {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Allocates nothing once it has been as large.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        (self.operation, self.sequence) = (source.operation, source.sequence);
        self.words.clone_from(&source.words);
        // Most have none, and a call that copies nothing costs as much as one that copies a few.
        self.records.clear();
        if !source.records.is_empty() {
            self.records.extend_from_slice(&source.records);
        }
        self.bytes.clear();
        if !source.bytes.is_empty() {
            self.bytes.extend_from_slice(&source.bytes);
        }
    }
}

impl Values {
    /// An operation and its arguments as the golden vectors write them: a key is a number, an int64 a decimal string, bytes
    /// are base64, a list is an array of records.
    ///
    /// # Errors
    /// When an argument is not of its type.
    pub fn parse(number: u32, operation: &Operation, arguments: &[Value]) -> Result<Self, WorkloadError> {
        let expected = operation.arguments.len();
        if arguments.len() != expected {
            let got = arguments.len();
            return Err(WorkloadError::Arguments(format!("{expected} arguments expected, got {got}")));
        }
        let mut values = Self { operation: number, ..Self::default() };
        for (argument, json) in operation.arguments.iter().zip(arguments) {
            let word = match argument {
                Argument::Scalar(field) => values.parse_scalar(&field.name, field.kind, json)?,
                Argument::List { name, max, fields, .. } => {
                    let records = json.as_array().filter(|records| records.len() <= *max as usize);
                    let records = records.ok_or_else(|| {
                        WorkloadError::Arguments(format!("{name}: expected at most {max} records"))
                    })?;
                    let first = values.records.len();
                    for (place, field) in fields.iter().enumerate() {
                        for record in records {
                            let json = record.get(place).unwrap_or(&Value::Null);
                            let word = values.parse_scalar(&field.name, field.kind, json)?;
                            values.records.push(word);
                        }
                    }
                    Self::list_word(first, records.len())
                }
            };
            values.words.push(word);
        }
        Ok(values)
    }

    fn parse_scalar(&mut self, name: &str, kind: Type, json: &Value) -> Result<u64, WorkloadError> {
        let wrong = || WorkloadError::Arguments(format!("{name}: expected {kind:?}, got {json}"));
        let content = |bytes: Option<Vec<u8>>, length: u32| {
            bytes.filter(|bytes| bytes.len() == length as usize).ok_or_else(wrong)
        };
        let text = |length: u32| {
            json.as_str().filter(|text| text.len() <= length as usize).map(|text| text.as_bytes().to_vec())
        };
        let bytes = match kind {
            Type::Key => {
                return json
                    .as_u64()
                    .and_then(|key| u32::try_from(key).ok())
                    .map(u64::from)
                    .ok_or_else(wrong);
            }
            Type::Int64 => {
                let integer = json.as_str().and_then(|text| text.parse::<i64>().ok());
                return integer.map(|integer| integer as u64).ok_or_else(wrong);
            }
            Type::Bool => return json.as_bool().map(u64::from).ok_or_else(wrong),
            Type::Text { length } => text(length).ok_or_else(wrong)?,
            Type::Bytes { length } => {
                content(json.as_str().and_then(|text| STANDARD.decode(text).ok()), length)?
            }
        };
        let begin = self.bytes.len() as u64;
        let is_shorter = matches!(kind, Type::Text { length } if bytes.len() < length as usize);
        let word = if is_shorter { Self::shorter_word(begin, bytes.len()) } else { begin };
        self.bytes.extend(bytes);
        Ok(word)
    }

    /// A key, an int64 in two's complement, 0 or 1 for a bool, a choice's number.
    #[inline]
    #[must_use]
    pub fn word(&self, argument: usize) -> u64 {
        self.words[argument]
    }

    /// All arguments.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The text or the bytes that a word stands for, of the type's length unless the word says that they are shorter.
    #[inline]
    #[must_use]
    pub fn content(&self, word: u64, length: u32) -> &[u8] {
        let (begin, shorter) = (word as u32 as usize, (word >> 32) as usize);
        &self.bytes[begin..begin + if shorter == 0 { length as usize } else { shorter }]
    }

    /// The records of a list argument.
    #[inline]
    #[must_use]
    pub fn list(&self, argument: usize) -> List<'_> {
        let word = self.words[argument];
        List { values: self, first: (word >> 32) as usize, length: word as u32 as usize }
    }

    #[inline]
    pub(crate) fn clear(&mut self, operation: u32, sequence: u32) {
        (self.operation, self.sequence) = (operation, sequence);
        self.words.clear();
        self.records.clear();
        self.bytes.clear();
    }

    /// Of a text that is shorter than its type's length.
    pub(crate) const fn shorter_word(begin: u64, length: usize) -> u64 {
        (length as u64) << 32 | begin
    }

    pub(crate) const fn list_word(first: usize, length: usize) -> u64 {
        (first as u64) << 32 | length as u64
    }
}

impl List<'_> {
    /// How many records.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// As `Values::word`, of a field of a record.
    #[inline]
    #[must_use]
    pub fn word(&self, field: usize, record: usize) -> u64 {
        self.values.records[self.first + field * self.length + record]
    }
}

impl Source {
    /// The value.
    #[must_use]
    pub fn of(self, values: &Values) -> i64 {
        match self {
            Self::Constant { value } => value,
            Self::Argument { argument } => values.word(argument) as i64,
            Self::Field { argument, field } => {
                let list = values.list(argument);
                if list.is_empty() { 0 } else { list.word(field, 0) as i64 }
            }
        }
    }
}
