//! Whatever the runner writes, the control plane answers with rows or one reason, and never ends.

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]

use fair_bench_engines::control::Control;
use fair_bench_engines::engine::Engine;
use fair_bench_engines::engines::null::Null;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A key of two columns, one below 0 before one above; and every type of column.
fn steps() -> Value {
    let column = |kind: &str| json!({ "type": { "kind": kind } });
    let long = |kind: &str| json!({ "type": { "kind": kind, "length": 3 } });
    let columns =
        [column("key"), column("int64"), column("bool"), long("text"), long("bytes"), column("int64")];
    let keyed = json!({ "keyColumns": 1, "columns": [column("key"), column("int64")] });
    json!({ "tables": [{ "keyColumns": 2, "columns": columns }, keyed], "operations": [] })
}

fn opened<E: Engine>(folder: &tempfile::TempDir, durability: &str) -> Control<E> {
    let mut control = Control::new();
    let settings = json!({ "directory": folder.path(), "durability": durability, "cacheMb": 16 });
    let opened = ask(&mut control, &json!({ "do": "open", "settings": settings, "steps": steps() }));
    assert!(!opened.unwrap()["version"].as_str().unwrap().is_empty());
    control
}

fn ask<E: Engine>(control: &mut Control<E>, command: &Value) -> Result<Value, String> {
    control.answer(&command.to_string()).map_err(|error| error.to_string())
}

fn row(first: u32, second: i64) -> Value {
    json!([first, second.to_string(), true, "abc", "AQID", "-5"])
}

fn rows_survive_a_close_in_the_order_of_their_keys<E: Engine>(durability: &str) {
    let folder = tempfile::tempdir().unwrap();
    let sorted = [row(0, i64::MIN), row(0, -1), row(0, 0), row(0, i64::MAX), row(7, 3), row(u32::MAX, 0)];
    let mut control = opened::<E>(&folder, durability);
    let given = json!([sorted[4], sorted[1], sorted[5], sorted[0], sorted[3], sorted[2]]);
    ask(&mut control, &json!({ "do": "load", "table": 0, "rows": given })).unwrap();
    ask(&mut control, &json!({ "do": "load", "table": 1, "rows": [[1, "1"]] })).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let compacted = ask(&mut control, &json!({ "do": "compact", "into": copy.path() }));
    assert!(compacted.unwrap().is_boolean());
    ask(&mut control, &json!({ "do": "close" })).unwrap();
    drop(control);
    let mut control = opened::<E>(&folder, durability);
    let mut scan =
        |after: Value| ask(&mut control, &json!({ "do": "scan", "table": 0, "after": after, "limit": 4 }));
    assert_eq!(scan(Value::Null).unwrap(), json!(sorted[..4]));
    assert_eq!(scan(json!([0, i64::MAX.to_string()])).unwrap(), json!(sorted[4..]));
    let read =
        ask(&mut control, &json!({ "do": "read", "table": 0, "keys": [[7, "3"], [7, "4"], [0, "-1"]] }));
    assert_eq!(read.unwrap(), json!([sorted[4], sorted[1]]));
    ask(&mut control, &json!({ "do": "clear", "table": 0 })).unwrap();
    let mut all = |table: usize| {
        ask(&mut control, &json!({ "do": "scan", "table": table, "after": null, "limit": 9 })).unwrap()
    };
    assert_eq!(all(0), json!([]));
    assert_eq!(all(1), json!([[1, "1"]]), "another table keeps its rows");
}

#[test]
fn rows_survive_a_close() {
    rows_survive_a_close_in_the_order_of_their_keys::<Null>("durable");
    for durability in ["durable", "async"] {
        #[cfg(feature = "fjall")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::fjall::Fjall>(
            durability,
        );
        #[cfg(feature = "lmdb")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::lmdb::Lmdb>(
            durability,
        );
        #[cfg(feature = "redb")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::redb::Redb>(
            durability,
        );
        #[cfg(feature = "rocksdb")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::rocksdb::RocksDb>(
            durability,
        );
        #[cfg(feature = "sled")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::sled::Sled>(
            durability,
        );
        #[cfg(feature = "sqlite")]
        rows_survive_a_close_in_the_order_of_their_keys::<fair_bench_engines::engines::sqlite::Sqlite>(
            durability,
        );
    }
}

/// The parameters of a trial say how long its texts are, whatever the endpoint's options were made with.
#[test]
fn a_trial_has_texts_of_its_own_length() {
    let key = json!({ "kind": "key" });
    let text = |length: usize| json!({ "kind": "text", "length": length });
    let column = |name: &str, kind: &Value| json!({ "name": name, "type": kind, "seed": { "kind": "constant", "value": 0 }, "set": false, "added": false });
    let argument = |name: &str, kind: &Value| json!({ "kind": "scalar", "name": name, "type": kind, "generator": { "kind": "content" } });
    let insert = json!({
        "name": "insert", "weight": 1, "reasons": [], "writes": true, "timed": "never", "returns": { "kind": "nothing" },
        "arguments": [argument("id", &key), argument("body", &text(5))],
    });
    let note = json!({
        "name": "note", "extents": [0], "rows": 0, "keyColumns": 1, "written": true,
        "columns": [column("id", &key), column("body", &text(5))],
    });
    let workload = json!({ "name": "notes", "seed": "1", "tables": [note], "operations": [insert] });
    let from = |argument: usize| json!({ "kind": "argument", "argument": argument });
    let change = json!({ "kind": "insert", "table": 0, "columns": [from(0), from(1)], "ifMissing": false });
    let steps = json!({
        "tables": [{ "keyColumns": 1, "columns": [{ "type": key }, { "type": text(3) }] }],
        "operations": [{ "rules": [], "effects": [{ "list": null, "change": change }], "found": [] }],
    });
    let folder = tempfile::tempdir().unwrap();
    let mut control = Control::<Null>::new();
    let settings = json!({ "directory": folder.path(), "durability": "async", "cacheMb": 16 });
    ask(&mut control, &json!({ "do": "open", "settings": settings, "steps": steps })).unwrap();
    ask(&mut control, &json!({ "do": "workload", "workload": workload, "steps": steps })).unwrap();
    ask(&mut control, &json!({ "do": "execute", "operations": [[0, [7, "abcde"]]] })).unwrap();
    let scan = ask(&mut control, &json!({ "do": "scan", "table": 0, "after": null, "limit": 9 }));
    assert_eq!(scan.unwrap(), json!([[7, "abcde"]]));
}

/// Each engine's version is that of the package that was compiled.
#[test]
fn versions_are_those_of_the_lockfile() {
    let lock = include_str!("../../../Cargo.lock");
    let is_locked =
        |name: &str, version: &str| lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n"));
    #[cfg(feature = "fjall")]
    assert!(is_locked("fjall", &fair_bench_engines::engines::fjall::Fjall::version()));
    #[cfg(feature = "redb")]
    assert!(is_locked("redb", &fair_bench_engines::engines::redb::Redb::version()));
    #[cfg(feature = "rocksdb")]
    {
        let version = fair_bench_engines::engines::rocksdb::RocksDb::version();
        assert!(is_locked("librocksdb-sys", &format!("0.19.0+{version}")));
    }
    #[cfg(feature = "sled")]
    assert!(is_locked("sled", &fair_bench_engines::engines::sled::Sled::version()));
    assert!(is_locked("fair-bench-engines", &Null::version()));
}

/// Values that fit a command now and then.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..1 << 33).prop_map(Value::from),
        "[-0-9a-c+=]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 6, |inner| prop::collection::vec(inner, 0..7).prop_map(Value::from))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_is_answered(
        verb in prop_oneof!["load", "scan", "read", "clear", "execute", "workload", "[a-z]{0,5}"],
        table in any_value(), rows in any_value(), after in any_value(), limit in any_value(),
        line in "\\PC{0,40}",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut control = opened::<Null>(&folder, "async");
        ask(&mut control, &json!({ "do": "load", "table": 0, "rows": [row(1, 1)] })).unwrap();
        let fields = match verb.as_str() {
            "load" => json!({ "do": verb, "table": table, "rows": rows }),
            "scan" => json!({ "do": verb, "table": table, "after": after, "limit": limit }),
            "read" => json!({ "do": verb, "table": table, "keys": rows }),
            "execute" => json!({ "do": verb, "operations": [[table, rows]] }),
            "workload" => json!({ "do": verb, "workload": rows, "steps": after }),
            _ => json!({ "do": verb, "table": table }),
        };
        for reason in [ask(&mut control, &fields).err(), control.answer(&line).err().map(|error| error.to_string())].into_iter().flatten() {
            prop_assert!(!reason.is_empty());
        }
        let still = ask(&mut control, &json!({ "do": "read", "table": 1, "keys": [] }));
        prop_assert_eq!(still, Ok(json!([])));
    }
}
