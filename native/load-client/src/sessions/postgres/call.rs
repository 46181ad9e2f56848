//! Calls of a workload's operations, byte by byte (PostgreSQL's manual, "Message Formats"): one Bind, Execute and Sync for an
//! operation that is prepared once, the same after a Parse, or one simple query.

use std::collections::BTreeMap;
use std::io;

use bytes::BytesMut;
use fair_bench_workload::{Argument, List, Operation, Returns, Type, Values, Workload};
use postgres_protocol::message::frontend;

use super::config::{CallOptions, Protocol};
use super::text::Query;
use crate::error::Result;

/// Execute without a limit of rows, and Sync.
pub(super) const EXECUTE_AND_SYNC: &[u8] = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";
/// One format for all parameters, or for all columns: binary.
pub(super) const BINARY: &[u8] = b"\0\x01\0\x01";
/// Text, which is the same for every integer type: a statement may return another type than the column's.
pub(super) const TEXT: &[u8] = b"\0\0";

/// Appends Parse for each operation that is drawn, if they are prepared, and one Sync.
pub(super) fn prepare(workload: &Workload, options: &CallOptions, output: &mut BytesMut) -> io::Result<()> {
    if options.protocol == Protocol::Prepared {
        for operation in workload.operations.iter().filter(|operation| operation.weight > 0) {
            parse(&operation.name, operation, &options.statements, output)?;
        }
    }
    frontend::sync(output);
    Ok(())
}

fn parse(
    name: &str,
    operation: &Operation,
    statements: &BTreeMap<String, String>,
    output: &mut BytesMut,
) -> io::Result<()> {
    let oids: Vec<u32> = oids_of(operation).collect();
    frontend::parse(name, statement_of(&operation.name, statements)?, oids, output)
}

/// The error names what is missing in the plan.
pub(super) fn statement_of<'a>(name: &str, statements: &'a BTreeMap<String, String>) -> io::Result<&'a str> {
    let missing = || io::Error::other(format!("plan.endpoint.options.statements has none for {name}"));
    statements.get(name).map(String::as_str).ok_or_else(missing)
}

/// The calls by operation.
pub(super) struct Calls(Vec<Call>);

enum Call {
    /// A Bind up to its parameters, after a Parse unless it is prepared.
    Bound {
        head: Vec<u8>,
        /// Where the Bind's length is.
        length_at: usize,
    },
    Simple(Query),
}

impl Calls {
    /// The error names what is missing in the plan.
    pub(super) fn new(workload: &Workload, options: &CallOptions) -> Result<Self> {
        workload
            .operations
            .iter()
            .map(|operation| call_of(operation, options))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// Appends a call.
    #[inline]
    pub(super) fn encode(&self, operation: &Operation, values: &Values, output: &mut Vec<u8>) {
        let (head, length_at) = match &self.0[values.operation as usize] {
            Call::Bound { head, length_at } => (head, output.len() + length_at),
            Call::Simple(query) => return query.encode(values, output),
        };
        output.extend_from_slice(head);
        for (place, argument) in operation.arguments.iter().enumerate() {
            match argument {
                Argument::Scalar(field) => put_scalar(field.kind, values, values.word(place), output),
                Argument::List { fields, .. } => {
                    let list = values.list(place);
                    for (number, field) in fields.iter().enumerate() {
                        put_array(field.kind, values, (list, number), output);
                    }
                }
            }
        }
        output.extend_from_slice(if matches!(operation.returns, Returns::Nothing) { BINARY } else { TEXT });
        // The length counts itself, and not the message's kind.
        let length = (output.len() - length_at) as u32;
        output[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
        output.extend_from_slice(EXECUTE_AND_SYNC);
    }
}

fn call_of(operation: &Operation, options: &CallOptions) -> Result<Call> {
    let mut head = BytesMut::new();
    let name = match options.protocol {
        Protocol::Prepared => operation.name.as_str(),
        Protocol::Extended => {
            parse("", operation, &options.statements, &mut head)?;
            ""
        }
        Protocol::Simple => return Query::new(operation, &options.texts).map(Call::Simple),
    };
    let length_at = head.len() + 1;
    head.extend_from_slice(b"B\0\0\0\0\0");
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b"\0");
    head.extend_from_slice(BINARY);
    head.extend_from_slice(&(oids_of(operation).count() as u16).to_be_bytes());
    Ok(Call::Bound { head: head.to_vec(), length_at })
}

/// A value behind its length.
#[inline]
pub(super) fn put_scalar(kind: Type, values: &Values, word: u64, output: &mut Vec<u8>) {
    match kind {
        Type::Key | Type::Int64 => {
            output.extend_from_slice(&8_u32.to_be_bytes());
            output.extend_from_slice(&word.to_be_bytes());
        }
        Type::Bool => output.extend_from_slice(&[0, 0, 0, 1, word as u8]),
        Type::Text { length } | Type::Bytes { length } => {
            let content = values.content(word, length);
            output.extend_from_slice(&(content.len() as u32).to_be_bytes());
            output.extend_from_slice(content);
        }
    }
}

/// One field of all records: an array of one dimension, or of none when there is no record.
fn put_array(kind: Type, values: &Values, (list, field): (List<'_>, usize), output: &mut Vec<u8>) {
    let begin = output.len();
    let dimensions = u32::from(!list.is_empty());
    // Its length, dimensions, no nulls, the elements' type.
    for word in [0, dimensions, 0, oid_of(kind)] {
        output.extend_from_slice(&word.to_be_bytes());
    }
    if !list.is_empty() {
        output.extend_from_slice(&(list.len() as u32).to_be_bytes());
        output.extend_from_slice(&1_u32.to_be_bytes());
    }
    for record in 0..list.len() {
        put_scalar(kind, values, list.word(field, record), output);
    }
    let length = (output.len() - begin - 4) as u32;
    output[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
}

/// The types of the parameters: one per argument; for a list, one array per field.
fn oids_of(operation: &Operation) -> impl Iterator<Item = u32> {
    operation.arguments.iter().flat_map(|argument| match argument {
        Argument::Scalar(field) => vec![oid_of(field.kind)],
        Argument::List { fields, .. } => fields.iter().map(|field| array_oid_of(field.kind)).collect(),
    })
}

pub(super) const fn oid_of(kind: Type) -> u32 {
    match kind {
        Type::Key | Type::Int64 => 20,
        Type::Bool => 16,
        Type::Text { .. } => 25,
        Type::Bytes { .. } => 17,
    }
}

pub(super) const fn array_oid_of(kind: Type) -> u32 {
    match kind {
        Type::Key | Type::Int64 => 1016,
        Type::Bool => 1000,
        Type::Text { .. } => 1009,
        Type::Bytes { .. } => 1001,
    }
}
