//! Calls of a workload's operations, byte by byte (PostgreSQL's manual, "Message Formats"): each is prepared once,
//! then each call is one Bind, Execute and Sync.

use std::collections::BTreeMap;
use std::io;

use bytes::BytesMut;
use fair_bench_workload::{Argument, List, Operation, Returns, Type, Values, Workload};
use postgres_protocol::message::frontend;

/// Execute without a limit of rows, and Sync.
const EXECUTE_AND_SYNC: &[u8] = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";
/// Where a Bind's length is.
const LENGTH_AT: usize = 1;
/// One format for all parameters, or for all columns: binary.
const BINARY: &[u8] = b"\0\x01\0\x01";
/// Text, which is the same for every integer type: a statement may return another type than the column's.
const TEXT: &[u8] = b"\0\0";

/// Appends Parse for each operation that is drawn, and one Sync.
pub(super) fn prepare(
    workload: &Workload,
    statements: &BTreeMap<String, String>,
    output: &mut BytesMut,
) -> io::Result<()> {
    for operation in workload.operations.iter().filter(|operation| operation.weight > 0) {
        let oids: Vec<u32> = oids_of(operation).collect();
        let parameters: Vec<String> = (1..=oids.len()).map(|number| format!("${number}")).collect();
        let columns = if matches!(operation.returns, Returns::Nothing) { "" } else { "* FROM " };
        let call = format!("SELECT {columns}fair_bench.{}({})", operation.name, parameters.join(", "));
        let statement = statements.get(&operation.name).unwrap_or(&call);
        frontend::parse(&operation.name, statement, oids, output)?;
    }
    frontend::sync(output);
    Ok(())
}

/// The beginnings of the calls: a Bind up to its parameters.
pub(super) struct Calls(Vec<Vec<u8>>);

impl Calls {
    pub(super) fn new(workload: &Workload) -> Self {
        Self(workload.operations.iter().map(head_of).collect())
    }

    /// Appends a call.
    #[inline]
    pub(super) fn encode(&self, operation: &Operation, values: &Values, output: &mut Vec<u8>) {
        let begin = output.len();
        output.extend_from_slice(&self.0[values.operation as usize]);
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
        let length = (output.len() - begin - LENGTH_AT) as u32;
        output[begin + LENGTH_AT..][..4].copy_from_slice(&length.to_be_bytes());
        output.extend_from_slice(EXECUTE_AND_SYNC);
    }
}

fn head_of(operation: &Operation) -> Vec<u8> {
    let mut head = b"B\0\0\0\0\0".to_vec();
    head.extend_from_slice(operation.name.as_bytes());
    head.push(0);
    head.extend_from_slice(BINARY);
    head.extend_from_slice(&(oids_of(operation).count() as u16).to_be_bytes());
    head
}

/// A value behind its length.
#[inline]
fn put_scalar(kind: Type, values: &Values, word: u64, output: &mut Vec<u8>) {
    match kind {
        Type::Key | Type::Int64 => {
            output.extend_from_slice(&8_u32.to_be_bytes());
            output.extend_from_slice(&word.to_be_bytes());
        }
        Type::Bool => output.extend_from_slice(&[0, 0, 0, 1, word as u8]),
        Type::Text { length } | Type::Bytes { length } => {
            output.extend_from_slice(&length.to_be_bytes());
            output.extend_from_slice(values.content(word, length));
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

const fn oid_of(kind: Type) -> u32 {
    match kind {
        Type::Key | Type::Int64 => 20,
        Type::Bool => 16,
        Type::Text { .. } => 25,
        Type::Bytes { .. } => 17,
    }
}

const fn array_oid_of(kind: Type) -> u32 {
    match kind {
        Type::Key | Type::Int64 => 1016,
        Type::Bool => 1000,
        Type::Text { .. } => 1009,
        Type::Bytes { .. } => 1001,
    }
}
