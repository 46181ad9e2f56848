//! Simple queries: a statement with its values in it, quoted as libpq does.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fair_bench_workload::{Argument, Operation, Type, Values};
use postgres_protocol::escape::escape_literal;

use super::config::Piece;
use crate::error::{Error, Result};

/// The query of one operation.
pub(super) struct Query(Vec<Part>);

enum Part {
    Text(Vec<u8>),
    Scalar {
        place: usize,
        kind: Type,
    },
    /// A field of all records of a list.
    Array {
        place: usize,
        field: usize,
        kind: Type,
    },
}

impl Query {
    /// The error names the operation without a text, and the parameter that it lacks.
    pub(super) fn new(operation: &Operation, texts: &BTreeMap<String, Vec<Piece>>) -> Result<Self> {
        let wrong = |what: &str| {
            Error::plan(
                "plan.endpoint.options.texts",
                format!("the operation {} has no {what}", operation.name),
            )
        };
        let pieces = texts.get(&operation.name).ok_or_else(|| wrong("text"))?;
        let part_of = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(Part::Text(text.clone().into_bytes())),
            Piece::Parameter(number) => parameters_of(operation)
                .nth(*number)
                .ok_or_else(|| wrong(&format!("parameter {}", number + 1))),
        };
        pieces.iter().map(part_of).collect::<Result<_>>().map(Self)
    }

    /// Appends the query.
    pub(super) fn encode(&self, values: &Values, output: &mut Vec<u8>) {
        let begin = output.len();
        output.extend_from_slice(b"Q\0\0\0\0");
        for part in &self.0 {
            match part {
                Part::Text(text) => output.extend_from_slice(text),
                Part::Scalar { place, kind } => put_literal(*kind, values, values.word(*place), output),
                Part::Array { place, field, kind } => {
                    let literal = array_of(*kind, values, (*place, *field));
                    output.extend_from_slice(escape_literal(&literal).as_bytes());
                }
            }
        }
        output.push(0);
        // The length counts itself, and not the message's kind.
        let length = (output.len() - begin - 1) as u32;
        output[begin + 1..begin + 5].copy_from_slice(&length.to_be_bytes());
    }
}

fn parameters_of(operation: &Operation) -> impl Iterator<Item = Part> {
    operation.arguments.iter().enumerate().flat_map(|(place, argument)| match argument {
        Argument::Scalar(field) => vec![Part::Scalar { place, kind: field.kind }],
        Argument::List { fields, .. } => {
            let fields = fields.iter().enumerate();
            fields.map(|(field, of)| Part::Array { place, field, kind: of.kind }).collect()
        }
    })
}

/// Digits need no escapes.
#[inline]
fn put_literal(kind: Type, values: &Values, word: u64, output: &mut Vec<u8>) {
    if matches!(kind, Type::Key | Type::Int64) {
        output.push(b'\'');
        output.extend_from_slice(itoa::Buffer::new().format(word as i64).as_bytes());
        output.push(b'\'');
        return;
    }
    let mut text = String::new();
    put_text(kind, values, word, &mut text);
    output.extend_from_slice(escape_literal(&text).as_bytes());
}

pub(super) fn array_of(kind: Type, values: &Values, (place, field): (usize, usize)) -> String {
    let list = values.list(place);
    let mut array = String::from("{");
    for record in 0..list.len() {
        let mut text = String::new();
        put_text(kind, values, list.word(field, record), &mut text);
        put_element(&text, record == 0, &mut array);
    }
    array.push('}');
    array
}

/// An element of an array that is written as text.
pub(super) fn put_element(text: &str, is_first: bool, array: &mut String) {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    let comma = if is_first { "" } else { "," };
    // Writing to a string cannot fail.
    let _ = write!(array, "{comma}\"{escaped}\"");
}

/// A value as PostgreSQL reads it from text.
pub(super) fn put_text(kind: Type, values: &Values, word: u64, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match kind {
        Type::Key | Type::Int64 => write!(text, "{}", word as i64),
        Type::Bool => write!(text, "{}", word != 0),
        Type::Text { length } => write!(text, "{}", String::from_utf8_lossy(values.content(word, length))),
        Type::Bytes { length } => {
            text.push_str("\\x");
            values.content(word, length).iter().try_for_each(|byte| write!(text, "{byte:02x}"))
        }
    };
}
