//! Measures the harness's own share of an operation; asserts nothing about speed, and runs only when it is named:
//! `cargo test --release -p fair-bench-engines --test own_share -- --ignored --nocapture`

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(clippy::print_stdout, reason = "its figures are its result")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fair_bench_engines::engine::{Durability, Engine, Finish, Handle, Settings, Write};
use fair_bench_engines::engines::null::Null;
use fair_bench_engines::rows::Table;
use fair_bench_engines::session::connector;
use fair_bench_load_client::engine::{Inbox, Trial};
use fair_bench_load_client::output::TrialEvent;
use fair_bench_load_client::plan::{Client, Endpoint, LoopKind, Order, PROTOCOL_VERSION, Timing, TrialPlan};
use fair_bench_load_client::trial::{Context, run_load};
use fair_bench_workload::{Program, Replies, Stream, Values, Workload};
use serde_json::{Map, Value, json};

const WINDOW_MS: u64 = 2_000;
const ROUNDS: usize = 3;
const TEXT: usize = 84;

/// Point reads of so many rows, uniform.
fn point_reads(rows: u64) -> Arc<Workload> {
    let column = |name: &str, kind: Value, seed: Value| json!({ "name": name, "type": kind, "seed": seed, "set": false, "added": false });
    let columns = [
        column("id", json!({ "kind": "key" }), json!({ "kind": "constant", "value": 0 })),
        column("value", json!({ "kind": "text", "length": TEXT }), json!({ "kind": "content" })),
    ];
    let table = json!({
        "name": "record", "extents": [rows], "rows": rows, "keyColumns": 1, "columns": columns, "written": false,
    });
    let uniform =
        json!({ "kind": "uniform", "table": 0, "min": "0", "count": rows, "not": null, "distinct": false });
    let id = json!({ "kind": "scalar", "name": "id", "type": { "kind": "key" }, "generator": uniform });
    let keys = [json!({ "kind": "argument", "argument": 0 })];
    let read = json!({
        "name": "read", "weight": 1, "arguments": [id], "reasons": [], "writes": false, "timed": false,
        "returns": { "kind": "row", "table": 0, "keys": keys },
    });
    let planned = json!({ "name": "point-read", "seed": "1", "tables": [table], "operations": [read] });
    Arc::new(Workload::parse(&planned).unwrap())
}

fn steps() -> Value {
    let columns =
        [json!({ "type": { "kind": "key" } }), json!({ "type": { "kind": "text", "length": TEXT } })];
    let reads = json!({ "rules": [], "effects": [], "found": [] });
    json!({ "tables": [{ "keyColumns": 1, "columns": columns }], "operations": [reads] })
}

fn settings(folder: &Path) -> Settings {
    Settings { directory: folder.to_owned(), durability: Durability::Async, cache_mb: 256 }
}

fn load<E: Engine>(folder: &Path, workload: &Arc<Workload>, rows: u64) {
    let replies = Replies::new(workload);
    let tables = fair_bench_engines::program::Steps::parse(&steps()).unwrap().stored().unwrap();
    let table: &Table = &tables[0];
    let engine = E::open(&settings(folder)).unwrap();
    let mut handle = engine.handle().unwrap();
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let loaded = handle.write(|writer| {
        for row in 0..rows {
            let text = String::from_utf8(replies.seeded_content((0, 1), row)).unwrap();
            table.parse_row(&[json!(row), json!(text)], &mut key, &mut value).unwrap();
            writer.put(&key, &value)?;
        }
        Ok(Finish::Commit(()))
    });
    loaded.unwrap();
}

/// Nanoseconds of an operation in a trial of one session, with every reply verified.
fn in_a_trial<E: Engine>(folder: &Path, workload: &Arc<Workload>) -> f64 {
    let log_path = folder.join("log").to_str().unwrap().to_owned();
    let options = json!({ "settings": { "directory": folder, "durability": "async", "cacheMb": 256 }, "steps": steps() });
    let Value::Object(options) = options else { unreachable!() };
    let plan = TrialPlan {
        protocol: PROTOCOL_VERSION,
        trial_id: "own-share".to_owned(),
        client: Client::Native { protocol: "engine".to_owned() },
        endpoint: Endpoint { url: "file:///".to_owned(), options },
        workload: Map::new(),
        sessions: 1,
        share: None,
        depth: 1,
        batch: 1,
        threads: 1,
        loop_kind: LoopKind::Closed,
        timing: Timing {
            warmup_ms: 300,
            warmup_ms_max: 300,
            window_ms: WINDOW_MS,
            window_ms_max: WINDOW_MS,
            drain_ms: 1_000,
            connect_ms: 10_000,
            operation_ms: 1_000,
        },
        canaries: Vec::new(),
        log_path: Some(log_path),
    };
    let program = Arc::new(Program::new(workload, 1));
    let replies = Arc::new(Replies::new(workload));
    let connector = connector::<E>(&plan.endpoint, workload);
    let trial =
        Trial { plan, workload: Arc::clone(workload), program, canaries: Vec::new(), replies, connector };
    let inbox = Inbox::default();
    let order = inbox.orders();
    let emit = move |event: TrialEvent| match event {
        TrialEvent::Ready { .. } => order(Order::Go { at_us: 0.0 }),
        TrialEvent::Sample { .. } => order(Order::Window { at_us: 0.0, window_ms: WINDOW_MS }),
        _ => {}
    };
    let result = run_load(trial, &Context { emit: &emit, inbox: &inbox }).unwrap();
    let log = std::fs::read(folder.join("log")).unwrap();
    let mistakes = u32::from_le_bytes(log[28..32].try_into().unwrap());
    assert_eq!(mistakes, 0, "every reply is the row that was seeded");
    WINDOW_MS as f64 * 1e6 / result["window"]["applied"].as_f64().unwrap()
}

fn best(measure: impl Fn() -> f64) -> f64 {
    (0..ROUNDS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "measures; run it alone"]
fn the_null_engine_shows_the_harness() {
    let (folder, workload) = (tempfile::tempdir().unwrap(), point_reads(1_000));
    load::<Null>(folder.path(), &workload, 1_000);
    let each = best(|| in_a_trial::<Null>(folder.path(), &workload));
    println!("null engine, 1,000 rows: {each:.0} ns an operation");
    let mut stream = Stream::new(&Arc::new(Program::new(&workload, 1)), 0);
    let (mut values, begun) = (Values::default(), Instant::now());
    for _ in 0..1_000_000 {
        stream.next(black_box(&mut values)).unwrap();
    }
    println!("of it, drawing: {:.0} ns", begun.elapsed().as_nanos() as f64 / 1e6);
    let begun = Instant::now();
    for _ in 0..1_000_000 {
        black_box(fair_bench_load_client::clock::now());
    }
    println!("of it, one of two clock readings: {:.0} ns", begun.elapsed().as_nanos() as f64 / 1e6);
}

#[cfg(feature = "lmdb")]
#[test]
#[ignore = "measures; run it alone"]
#[expect(unsafe_code, reason = "opens LMDB, as the engine does")]
fn lmdb_beside_the_plainest_loop() {
    use fair_bench_engines::engines::lmdb::Lmdb;
    use heed::types::Bytes;

    const ROWS: u64 = 100_000;
    let (folder, workload) = (tempfile::tempdir().unwrap(), point_reads(ROWS));
    load::<Lmdb>(folder.path(), &workload, ROWS);
    let client = best(|| in_a_trial::<Lmdb>(folder.path(), &workload));
    let mut stream = Stream::new(&Arc::new(Program::new(&workload, 1)), 0);
    let mut values = Values::default();
    let mut key = || {
        stream.next(&mut values).unwrap();
        let mut key = [0; 5];
        key[1..].copy_from_slice(&(values.word(0) as u32).to_be_bytes());
        key
    };
    let keys: Vec<[u8; 5]> = (0..2_000_000).map(|_| key()).collect();
    let mut options = heed::EnvOpenOptions::new();
    // SAFETY: the directory is this test's alone.
    let environment = unsafe { options.map_size(16 << 30).open(folder.path()) }.unwrap();
    let rows = environment
        .create_databases_and_commit(environment.write_txn().unwrap(), |opener, transaction| {
            let rows = opener.create_database::<Bytes, Bytes>(transaction, None)?;
            heed::Result::Ok(heed::CommitOrAbort::<_, ()>::Commit(rows))
        })
        .unwrap()
        .unwrap_commit();
    let plain = best(|| {
        let begun = Instant::now();
        for key in &keys {
            let transaction = environment.read_txn().unwrap();
            black_box(rows.get(&transaction, key).unwrap().unwrap().to_vec());
        }
        begun.elapsed().as_nanos() as f64 / keys.len() as f64
    });
    println!(
        "LMDB, {ROWS} rows: {client:.0} ns by the client, {plain:.0} ns by the plainest loop: {:.2} ×",
        plain / client
    );
}
