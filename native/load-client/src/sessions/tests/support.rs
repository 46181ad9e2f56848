//! A workload of one operation for the tests of the protocols.

use std::sync::Arc;

use fair_bench_workload::{Description, Program, Reply, Stream, Values, Workload};
use serde_json::{Value, json};

/// Its operation is `exchange`, with the given arguments.
pub(crate) fn workload_of(arguments: &Value) -> Arc<Workload> {
    workload_that(arguments, &json!({ "kind": "nothing" }))
}

/// The same, and it returns the rows of a table with a key and a column of each other type.
pub(crate) fn returns_rows() -> Arc<Workload> {
    workload_that(&json!([]), &json!({ "kind": "chosen-rows", "table": "t", "limit": 10 }))
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
    let decline = |reason: &str| json!({ "reason": reason, "rule": { "kind": "missing", "row": "from" } });
    let operation = json!({
        "name": "exchange", "weight": 1, "arguments": arguments, "rows": [],
        "declines": [decline("missing-account"), decline("insufficient-funds")],
        "effects": [], "returns": returns, "asserts": "all",
    });
    let column = |name: &str, kind: Value| json!({ "name": name, "type": kind, "generator": { "kind": "constant", "value": 0 } });
    let columns = json!([
        column("id", json!({ "kind": "key" })),
        column("count", json!({ "kind": "int64" })),
        column("flag", json!({ "kind": "bool" })),
        column("text", json!({ "kind": "text", "length": 2 })),
        column("bytes", json!({ "kind": "bytes", "length": 2 })),
    ]);
    let table = json!({ "name": "t", "rows": [0], "key": ["id"], "columns": columns, "indexes": [] });
    let description = json!({
        "version": 1, "name": "test", "about": "", "parameters": [], "tables": [table], "operations": [operation], "axes": [],
    });
    let parameters = json!({ "seed": "42" });
    let description = Description::parse(&description).expect("a description");
    Arc::new(Workload::resolve(&description, parameters.as_object().expect("an object")).expect("a workload"))
}

/// An exchange of 258 from account 1 to account 2³² − 1.
pub(crate) fn exchanges() -> Arc<Workload> {
    let argument = |name: &str, kind: &str, value: u32| json!({ "name": name, "type": { "kind": kind }, "generator": { "kind": "constant", "value": value } });
    workload_of(&json!([
        argument("source", "key", 1),
        argument("target", "key", u32::MAX),
        argument("amount", "int64", 258),
    ]))
}

/// A flag, text, bytes, and a list of two records.
pub(crate) fn every_type() -> Arc<Workload> {
    let field = |name: &str, kind: Value, generator: Value| json!({ "name": name, "type": kind, "generator": generator });
    workload_of(&json!([
        field("flag", json!({ "kind": "bool" }), json!({ "kind": "constant", "value": true })),
        field("text", json!({ "kind": "text", "length": 4 }), json!({ "kind": "content" })),
        field("bytes", json!({ "kind": "bytes", "length": 3 }), json!({ "kind": "content" })),
        {
            "name": "list", "type": { "kind": "list" }, "length": { "min": 2, "max": 2 },
            "fields": [
                field("id", json!({ "kind": "key" }), json!({ "kind": "constant", "value": 7 })),
                field("count", json!({ "kind": "int64" }), json!({ "kind": "constant", "value": -1 })),
            ],
        },
    ]))
}

/// Its first operation.
pub(crate) fn first_of(workload: &Arc<Workload>) -> Values {
    let program = Program::new(workload, 1).expect("a program");
    let mut values = Values::default();
    Stream::new(&Arc::new(program), 0).next(&mut values).expect("an operation");
    values
}
