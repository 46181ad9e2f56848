//! Requests of a workload's operations: `POST /<operation>` with the arguments as a JSON object.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Argument, Field, Operation, Type, Values, Workload};

/// What requests are made of.
pub(super) struct Requests {
    /// Of each operation the request up to the value of `content-length`.
    heads: Vec<Vec<u8>>,
    /// The body that is being written: its length goes before it.
    body: Vec<u8>,
}

impl Requests {
    pub(super) fn new(authority: &str, workload: &Workload) -> Self {
        let head = |operation: &Operation| {
            let name = &operation.name;
            format!(
                "POST /{name} HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\ncontent-length: "
            )
        };
        let heads = workload.operations.iter().map(|operation| head(operation).into_bytes());
        Self { heads: heads.collect(), body: Vec::new() }
    }

    /// Appends a request.
    #[inline]
    pub(super) fn encode(&mut self, operation: &Operation, values: &Values, output: &mut Vec<u8>) {
        let Self { heads, body } = self;
        body.clear();
        for (place, argument) in operation.arguments.iter().enumerate() {
            body.push(if place == 0 { b'{' } else { b',' });
            match argument {
                Argument::Scalar(field) => put_field(field, values, values.word(place), body),
                Argument::List { name, fields, .. } => {
                    put_name(name, body);
                    put_list(fields, values, place, body);
                }
            }
        }
        if operation.arguments.is_empty() {
            body.push(b'{');
        }
        body.push(b'}');
        output.extend_from_slice(&heads[values.operation as usize]);
        output.extend_from_slice(itoa::Buffer::new().format(body.len()).as_bytes());
        output.extend_from_slice(b"\r\n\r\n");
        output.extend_from_slice(body);
    }
}

/// Records, each an object.
fn put_list(fields: &[Field], values: &Values, place: usize, body: &mut Vec<u8>) {
    let list = values.list(place);
    body.push(b'[');
    for record in 0..list.len() {
        if record > 0 {
            body.push(b',');
        }
        for (number, field) in fields.iter().enumerate() {
            body.push(if number == 0 { b'{' } else { b',' });
            put_field(field, values, list.word(number, record), body);
        }
        body.push(b'}');
    }
    body.push(b']');
}

#[inline]
fn put_name(name: &str, body: &mut Vec<u8>) {
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(b"\":");
}

#[inline]
fn put_field(field: &Field, values: &Values, word: u64, body: &mut Vec<u8>) {
    put_name(&field.name, body);
    match field.kind {
        Type::Key => body.extend_from_slice(itoa::Buffer::new().format(word).as_bytes()),
        Type::Int64 => {
            body.push(b'"');
            body.extend_from_slice(itoa::Buffer::new().format(word as i64).as_bytes());
            body.push(b'"');
        }
        Type::Bool => body.extend_from_slice(if word == 0 { b"false" } else { b"true" }),
        // Letters and digits: nothing to escape.
        Type::Text { length } => {
            body.push(b'"');
            body.extend_from_slice(values.content(word, length));
            body.push(b'"');
        }
        Type::Bytes { length } => {
            body.push(b'"');
            body.extend_from_slice(STANDARD.encode(values.content(word, length)).as_bytes());
            body.push(b'"');
        }
    }
}
