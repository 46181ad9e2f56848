//! A workload of one operation for the tests of the protocols.

use std::sync::Arc;

use fair_bench_workload::{Program, Reply, Stream, Values, Workload};
use serde_json::{Value, json};

/// Its operation is `exchange`, with the given arguments.
pub(crate) fn workload_of(arguments: &Value) -> Arc<Workload> {
    workload_that(arguments, &json!({ "kind": "nothing" }))
}

/// The same, and it returns the rows of a table with a key and a column of each other type.
pub(crate) fn returns_rows() -> Arc<Workload> {
    workload_that(&json!([]), &json!({ "kind": "chosen-rows", "table": 0 }))
}

/// The same, and it returns a field.
pub(crate) fn returns_a_field() -> Arc<Workload> {
    let field = json!({ "name": "total", "type": { "kind": "int64" } });
    workload_that(&json!([]), &json!({ "kind": "fields", "fields": [field] }))
}

/// A reply with one row of that table.
pub(crate) fn one_row() -> Reply {
    let mut reply = Reply::new(5);
    reply.push(7);
    reply.push(-1_i64 as u64);
    reply.push(1);
    reply.push_content(b"ab");
    reply.push_content(&[0, 255]);
    reply
}

fn workload_that(arguments: &Value, returns: &Value) -> Arc<Workload> {
    let operation = json!({
        "name": "exchange", "weight": 1, "arguments": arguments, "reasons": ["missing-account", "insufficient-funds"],
        "writes": false, "timed": "never", "returns": returns,
    });
    let column = |name: &str, kind: Value| json!({ "name": name, "type": kind, "seed": constant(json!(0)), "set": false, "added": false });
    let columns = json!([
        column("id", json!({ "kind": "key" })),
        column("count", json!({ "kind": "int64" })),
        column("flag", json!({ "kind": "bool" })),
        column("text", json!({ "kind": "text", "length": 2 })),
        column("bytes", json!({ "kind": "bytes", "length": 2 })),
    ]);
    let table = json!({
        "name": "t", "extents": [0], "rows": 0, "keyColumns": 1, "columns": columns, "written": false,
    });
    let workload = json!({ "name": "test", "seed": "42", "tables": [table], "operations": [operation] });
    Arc::new(Workload::parse(&workload).expect("a workload"))
}

fn constant(value: Value) -> Value {
    json!({ "kind": "constant", "value": value })
}

fn scalar(name: &str, kind: Value, generator: Value) -> Value {
    json!({ "kind": "scalar", "name": name, "type": kind, "generator": generator })
}

/// An exchange of 258 from account 1 to account 2³² − 1.
pub(crate) fn exchanges() -> Arc<Workload> {
    workload_of(&json!([
        scalar("source", json!({ "kind": "key" }), constant(json!(1))),
        scalar("target", json!({ "kind": "key" }), constant(json!(u32::MAX))),
        scalar("amount", json!({ "kind": "int64" }), constant(json!("258"))),
    ]))
}

/// A flag, text, bytes, and a list of two records.
pub(crate) fn every_type() -> Arc<Workload> {
    let content = json!({ "kind": "content" });
    workload_of(&json!([
        scalar("flag", json!({ "kind": "bool" }), constant(json!(true))),
        scalar("text", json!({ "kind": "text", "length": 4 }), content.clone()),
        scalar("bytes", json!({ "kind": "bytes", "length": 3 }), content),
        {
            "kind": "list", "name": "list", "min": 2, "max": 2,
            "fields": [
                scalar("id", json!({ "kind": "key" }), constant(json!(7))),
                scalar("count", json!({ "kind": "int64" }), constant(json!("-1"))),
            ],
        },
    ]))
}

/// Its first operation.
pub(crate) fn first_of(workload: &Arc<Workload>) -> Values {
    let program = Program::new(workload, 1);
    let mut values = Values::default();
    Stream::new(&Arc::new(program), 0).next(&mut values).expect("an operation");
    values
}
