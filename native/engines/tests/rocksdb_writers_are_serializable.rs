//! Optimistic transactions of several threads, whose results are those of one after the other.

#![cfg(feature = "rocksdb")]
#![expect(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use std::thread;
use std::time::Duration;

use fair_bench_engines::engine::{Durability, Engine, Finish, Handle, Range, Read, Result, Settings, Write};
use fair_bench_engines::engines::rocksdb::RocksDb;

const THREADS: usize = 4;
const EACH: usize = 100;
/// Between what a transaction reads and what it writes: others come in between.
const PAUSE: Duration = Duration::from_micros(100);

fn opened(folder: &tempfile::TempDir, durability: Durability) -> RocksDb {
    let directory = folder.path().to_owned();
    RocksDb::open(&Settings { directory, durability, cache_mb: 16 }).unwrap()
}

fn on_threads(
    engine: &RocksDb,
    transaction: impl Fn(usize, &mut <RocksDb as Engine>::Handle) -> Result<()> + Sync,
) {
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let transaction = &transaction;
            scope.spawn(move || {
                let mut handle = engine.handle().unwrap();
                (0..EACH).for_each(|_| transaction(thread, &mut handle).unwrap());
            });
        }
    });
}

fn count<R: Read>(rows: &R, thread: usize) -> Result<u64> {
    let mut count = 0;
    rows.get(&[thread as u8], |value| count = u64::from_be_bytes(value.try_into().unwrap()))?;
    Ok(count)
}

#[test]
fn none_is_lost_that_reads_what_another_writes() {
    let folder = tempfile::tempdir().unwrap();
    let engine = opened(&folder, Durability::Async);
    // Each reads the counts of all, and writes its own.
    on_threads(&engine, |thread, handle| {
        handle.write(|rows| {
            let counts = (0..THREADS).map(|thread| count(rows, thread)).collect::<Result<Vec<_>>>()?;
            thread::sleep(PAUSE);
            rows.put(&[thread as u8], &(counts[thread] + 1).to_be_bytes())?;
            rows.put(&row(counts.iter().sum(), thread), b"")?;
            Ok(Finish::Commit(()))
        })
    });
    assert_eq!(numbers(&engine), every(), "each saw another sum");
}

#[test]
fn none_misses_a_key_that_is_new_in_its_range() {
    let folder = tempfile::tempdir().unwrap();
    let engine = opened(&folder, Durability::Durable);
    // Each inserts the number after the last one.
    on_threads(&engine, |thread, handle| {
        handle.write(|rows| {
            let next = last(rows)?.map_or(0, |last| last + 1);
            thread::sleep(PAUSE);
            rows.put(&row(next, thread), b"")?;
            Ok(Finish::Commit(()))
        })
    });
    assert_eq!(numbers(&engine), every());
}

/// The key of a row of one thread's own: to write it is in no conflict.
fn row(number: u64, thread: usize) -> Vec<u8> {
    [b"row".as_slice(), &number.to_be_bytes(), &[thread as u8]].concat()
}

/// Of all rows, in their order.
fn numbers(engine: &RocksDb) -> Vec<u64> {
    let mut numbers = Vec::new();
    let all = |rows: &<<RocksDb as Engine>::Handle as Handle>::Reader<'_>| {
        rows.scan(rows_from(false), |key, _| {
            numbers.push(number_of(key));
            true
        })
    };
    engine.handle().unwrap().read(all).unwrap();
    numbers
}

fn every() -> Vec<u64> {
    (0..(THREADS * EACH) as u64).collect()
}

fn last<R: Read>(rows: &R) -> Result<Option<u64>> {
    let mut last = None;
    rows.scan(rows_from(true), |key, _| {
        last = Some(number_of(key));
        false
    })?;
    Ok(last)
}

fn rows_from(descending: bool) -> Range<'static> {
    Range { low: b"row", high: b"row\xff", descending }
}

fn number_of(key: &[u8]) -> u64 {
    u64::from_be_bytes(key[3..11].try_into().unwrap())
}

#[test]
fn an_abort_leaves_nothing_and_a_close_keeps_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let engine = opened(&folder, Durability::Async);
    let mut handle = engine.handle().unwrap();
    let write = |key: &'static [u8], finish: fn(()) -> Finish<()>| {
        move |rows: &mut <<RocksDb as Engine>::Handle as Handle>::Writer<'_>| {
            rows.put(key, b"")?;
            assert!(rows.get(key, |_| ())?, "its own reads see it");
            Ok(finish(()))
        }
    };
    handle.write(write(b"kept", Finish::Commit)).unwrap();
    handle.write(write(b"left", Finish::Abort)).unwrap();
    drop((handle, engine));
    let engine = opened(&folder, Durability::Async);
    let has = |key| engine.handle().unwrap().read(|rows| rows.get(key, |_| ()));
    assert_eq!((has(b"kept"), has(b"left")), (Ok(true), Ok(false)));
}
