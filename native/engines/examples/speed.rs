//! The harness's own share of an operation, for `npm run bench:self -- --only engines`: on standard input the workload for each
//! engine and the steps of both, on standard output nanoseconds an operation. Each figure is the best of a few rounds, because
//! other programs only ever make one slower.

#![allow(clippy::unwrap_used, reason = "it ends where its preparation fails")]
#![allow(clippy::print_stdout, reason = "its figures are its result")]
#![allow(unsafe_code, reason = "opens LMDB, as the engine does")]

#[path = "../tests/support/trial.rs"]
mod trial;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fair_bench_engines::engine::Engine;
use fair_bench_engines::engines::{lmdb::Lmdb, null::Null};
use fair_bench_load_client::clock;
use fair_bench_workload::{Program, Stream, Values};
use heed::CommitOrAbort;
use heed::types::Bytes;
use serde_json::{Value, json};

use trial::Planned;

const ROUNDS: usize = 10;
const WINDOW_MS: u64 = 300;
const CALLS: u32 = 300_000;

fn main() {
    let input: Value = serde_json::from_reader(std::io::stdin()).unwrap();
    let planned = |engine: &str| Planned::new(input[engine].clone(), input["steps"].clone());
    let (few, many) = (planned("null"), planned("lmdb"));
    let (null, lmdb) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    few.load::<Null>(null.path());
    many.load::<Lmdb>(lmdb.path());
    let mut stream = Stream::new(&Arc::new(Program::new(&few.workload, 1)), 0);
    let mut values = Values::default();
    let figures = json!({
        "null": in_a_trial::<Null>(&few, null.path(), true),
        "nullUnverified": in_a_trial::<Null>(&few, null.path(), false),
        "drawing": each(CALLS, || stream.next(black_box(&mut values)).unwrap()),
        "clock": each(CALLS, || { black_box(clock::now()); }),
        "lmdb": in_a_trial::<Lmdb>(&many, lmdb.path(), true),
        "lmdbUnverified": in_a_trial::<Lmdb>(&many, lmdb.path(), false),
        "lmdbPlain": plainest_loop(&many, lmdb.path()),
    });
    println!("{figures}");
}

/// By the load client: drawn, timed, recorded, and, unless it is left out, verified.
fn in_a_trial<E: Engine>(planned: &Planned, folder: &Path, verified: bool) -> f64 {
    best(|| WINDOW_MS as f64 * 1e6 / planned.applied::<E>(folder, (WINDOW_MS, verified)) as f64)
}

/// Reads the keys of the same stream, drawn before, as the shortest program over `heed` would.
fn plainest_loop(planned: &Planned, folder: &Path) -> f64 {
    let mut stream = Stream::new(&Arc::new(Program::new(&planned.workload, 1)), 0);
    let mut values = Values::default();
    let mut keys = (0..CALLS)
        .map(|_| {
            stream.next(&mut values).unwrap();
            let mut key = [0; 5];
            key[1..].copy_from_slice(&(values.word(0) as u32).to_be_bytes());
            key
        })
        .collect::<Vec<_>>()
        .into_iter()
        .cycle();
    let mut options = heed::EnvOpenOptions::new();
    // SAFETY: the directory is this program's alone.
    let environment = unsafe { options.map_size(16 << 30).open(folder) }.unwrap();
    let rows = environment
        .create_databases_and_commit(environment.write_txn().unwrap(), |opener, transaction| {
            let rows = opener.create_database::<Bytes, Bytes>(transaction, None)?;
            heed::Result::Ok(CommitOrAbort::<_, ()>::Commit(rows))
        })
        .unwrap()
        .unwrap_commit();
    each(CALLS, || {
        let transaction = environment.read_txn().unwrap();
        let key = keys.next().unwrap();
        black_box(rows.get(&transaction, &key).unwrap().unwrap().to_vec());
    })
}

fn each(calls: u32, mut call: impl FnMut()) -> f64 {
    best(|| {
        let begun = Instant::now();
        (0..calls).for_each(|_| call());
        begun.elapsed().as_nanos() as f64 / f64::from(calls)
    })
}

fn best(mut measure: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}
