//! Requests of a workload's operations: `POST /<operation>` with the arguments as a JSON object.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Argument, Field, Operation, Type, Values, Workload};

/// What requests are made of.
pub(super) struct Requests {
    operations: Vec<Request>,
    /// Of a batch, up to the value of `content-length`.
    batch_head: Vec<u8>,
    /// The body that is being written: its length goes before it.
    body: Vec<u8>,
}

struct Request {
    /// Up to the value of `content-length`.
    head: Vec<u8>,
    arguments: Vec<Prefixes>,
}

/// What stands before a value, from the brace or the comma on.
struct Prefixes {
    argument: Vec<u8>,
    /// Of a list, before those of each record.
    fields: Vec<Vec<u8>>,
}

impl Requests {
    pub(super) fn new(authority: &str, workload: &Workload) -> Self {
        let head_of = |name: &str| {
            format!(
                "POST /{name} HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\ncontent-length: "
            )
            .into_bytes()
        };
        let request = |operation: &Operation| {
            let head = head_of(&operation.name);
            let arguments = operation.arguments.iter().enumerate().map(|(place, argument)| match argument {
                Argument::Scalar(field) => {
                    Prefixes { argument: prefix_of(&field.name, Some(field.kind), place), fields: Vec::new() }
                }
                Argument::List { name, fields, .. } => {
                    let fields = fields.iter().enumerate();
                    let prefix =
                        |(number, field): (usize, &Field)| prefix_of(&field.name, Some(field.kind), number);
                    Prefixes { argument: prefix_of(name, None, place), fields: fields.map(prefix).collect() }
                }
            });
            Request { head, arguments: arguments.collect() }
        };
        let operations = workload.operations.iter().map(request).collect();
        Self { operations, batch_head: head_of(".batch"), body: Vec::new() }
    }

    /// Appends a request.
    #[inline]
    pub(super) fn encode(&mut self, operation: &Operation, values: &Values, output: &mut Vec<u8>) {
        let Self { operations, body, .. } = self;
        let Request { head, arguments } = &operations[values.operation as usize];
        body.clear();
        put_arguments((operation, arguments), values, body);
        put_request(head, body, output);
    }

    /// Appends a batch: an array of operations, each its number and its arguments.
    pub(super) fn encode_batch(&mut self, workload: &Workload, batch: &[Values], output: &mut Vec<u8>) {
        let Self { operations, batch_head, body } = self;
        body.clear();
        for (place, values) in batch.iter().enumerate() {
            body.extend_from_slice(if place == 0 { b"[[" } else { b",[" });
            body.extend_from_slice(itoa::Buffer::new().format(values.operation).as_bytes());
            body.push(b',');
            let number = values.operation as usize;
            put_arguments((&workload.operations[number], &operations[number].arguments), values, body);
            body.push(b']');
        }
        body.push(b']');
        put_request(batch_head, body, output);
    }
}

#[inline]
fn put_request(head: &[u8], body: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(head);
    output.extend_from_slice(itoa::Buffer::new().format(body.len()).as_bytes());
    output.extend_from_slice(b"\r\n\r\n");
    output.extend_from_slice(body);
}

/// The object of an operation's arguments.
#[inline]
fn put_arguments((operation, arguments): (&Operation, &[Prefixes]), values: &Values, body: &mut Vec<u8>) {
    for (place, (argument, prefixes)) in operation.arguments.iter().zip(arguments).enumerate() {
        body.extend_from_slice(&prefixes.argument);
        match argument {
            Argument::Scalar(field) => put_value(field.kind, values, values.word(place), body),
            Argument::List { fields, .. } => put_list((fields, &prefixes.fields), values, place, body),
        }
    }
    body.extend_from_slice(if arguments.is_empty() { b"{}" } else { b"}" });
}

/// What stands before a member's value: of a list, no type, nothing of the value itself.
fn prefix_of(name: &str, kind: Option<Type>, place: usize) -> Vec<u8> {
    let begin = if place == 0 { '{' } else { ',' };
    let quote = if kind.is_some_and(is_quoted) { "\"" } else { "" };
    format!("{begin}\"{name}\":{quote}").into_bytes()
}

const fn is_quoted(kind: Type) -> bool {
    matches!(kind, Type::Int64 | Type::Text { .. } | Type::Bytes { .. })
}

/// A value from within its quotes on.
#[inline]
fn put_value(kind: Type, values: &Values, word: u64, body: &mut Vec<u8>) {
    match kind {
        Type::Key => body.extend_from_slice(itoa::Buffer::new().format(word as u32).as_bytes()),
        Type::Bool => body.extend_from_slice(if word == 0 { b"false" } else { b"true" }),
        Type::Int64 => body.extend_from_slice(itoa::Buffer::new().format(word as i64).as_bytes()),
        // Letters and digits: nothing to escape.
        Type::Text { length } => body.extend_from_slice(values.content(word, length)),
        Type::Bytes { length } => {
            let begin = body.len();
            body.resize(begin + (length as usize).div_ceil(3) * 4, 0);
            // The room is that of the encoding.
            let _written = STANDARD.encode_slice(values.content(word, length), &mut body[begin..]);
        }
    }
    if is_quoted(kind) {
        body.push(b'"');
    }
}

/// Records, each an object.
fn put_list((fields, prefixes): (&[Field], &[Vec<u8>]), values: &Values, place: usize, body: &mut Vec<u8>) {
    let list = values.list(place);
    body.push(b'[');
    for record in 0..list.len() {
        if record > 0 {
            body.push(b',');
        }
        for (number, (field, prefix)) in fields.iter().zip(prefixes).enumerate() {
            body.extend_from_slice(prefix);
            put_value(field.kind, values, list.word(number, record), body);
        }
        body.push(b'}');
    }
    body.push(b']');
}
