//! A call's arguments as BSATN: one after the other, little-endian, text, bytes and lists behind their `u32` length.

use fair_bench_workload::{Argument, Operation, Type, Values};

/// Appends the arguments of an operation.
#[inline]
pub(super) fn encode_arguments(operation: &Operation, values: &Values, output: &mut Vec<u8>) {
    for (place, argument) in operation.arguments.iter().enumerate() {
        match argument {
            Argument::Scalar(field) => put(field.kind, values, values.word(place), output),
            Argument::List { fields, .. } => {
                let list = values.list(place);
                output.extend_from_slice(&(list.len() as u32).to_le_bytes());
                for record in 0..list.len() {
                    for (number, field) in fields.iter().enumerate() {
                        put(field.kind, values, list.word(number, record), output);
                    }
                }
            }
        }
    }
}

#[inline]
fn put(kind: Type, values: &Values, word: u64, output: &mut Vec<u8>) {
    match kind {
        Type::Key => output.extend_from_slice(&(word as u32).to_le_bytes()),
        Type::Int64 => output.extend_from_slice(&word.to_le_bytes()),
        Type::Bool => output.push(word as u8),
        Type::Text { length } | Type::Bytes { length } => {
            output.extend_from_slice(&length.to_le_bytes());
            output.extend_from_slice(values.content(word, length));
        }
    }
}

#[cfg(test)]
#[path = "tests/arguments.rs"]
mod tests;
