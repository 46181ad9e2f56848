//! A workload of one operation for the tests of the protocols.

use std::sync::Arc;

use fair_bench_workload::{Description, Program, Stream, Values, Workload};
use serde_json::{Value, json};

/// Its operation is `exchange`, with the given arguments.
pub(crate) fn workload_of(arguments: &Value) -> Arc<Workload> {
    let decline = |reason: &str| json!({ "reason": reason, "rule": { "kind": "missing", "row": "from" } });
    let operation = json!({
        "name": "exchange", "weight": 1, "arguments": arguments, "rows": [],
        "declines": [decline("missing-account"), decline("insufficient-funds")],
        "effects": [], "returns": { "kind": "nothing" }, "asserts": "all",
    });
    let description = json!({
        "version": 1, "name": "test", "about": "", "parameters": [], "tables": [], "operations": [operation], "axes": [],
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
