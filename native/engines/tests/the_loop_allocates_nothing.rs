//! An operation of the timed loop allocates nothing: it is drawn, carried out, verified and recorded in buffers that are there.

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(unsafe_code, reason = "an allocator cannot be counted otherwise")]

#[path = "support/trial.rs"]
mod trial;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use fair_bench_engines::engines::null::Null;
use serde_json::{Value, json};

use trial::Planned;

/// Counts what is taken from the system's allocator.
struct Counting;

static TAKEN: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROWS: u64 = 1_000;
const TEXT: u32 = 100;
const SHORT_MS: u64 = 100;
const LONG_MS: u64 = 600;
/// The log and the histograms grow now and then, and so do the events of a longer window: not by the operation.
const OPERATIONS_OF_AN_ALLOCATION_MIN: u64 = 100;

/// Half of its operations read a row, half of them add to it.
fn reads_and_additions() -> Planned {
    let column = |name: &str, kind: Value, seed: Value, added: bool| json!({ "name": name, "type": kind, "seed": seed, "set": false, "added": added });
    let zero = json!({ "kind": "constant", "value": "0" });
    let columns = [
        column("id", json!({ "kind": "key" }), json!({ "kind": "constant", "value": 0 }), false),
        column("value", json!({ "kind": "text", "length": TEXT }), json!({ "kind": "content" }), false),
        column("count", json!({ "kind": "int64" }), zero, true),
    ];
    let table = json!({
        "name": "record", "extents": [ROWS], "rows": ROWS, "keyColumns": 1, "columns": columns, "written": true,
    });
    let uniform =
        json!({ "kind": "uniform", "table": 0, "min": "0", "count": ROWS, "not": null, "distinct": false });
    let id = json!({ "kind": "scalar", "name": "id", "type": { "kind": "key" }, "generator": uniform });
    let keys = [json!({ "kind": "argument", "argument": 0 })];
    let operation = |name: &str, writes: bool, returns: Value| {
        json!({
            "name": name, "weight": 1, "arguments": [id], "reasons": [], "writes": writes, "timed": "always", "returns": returns,
        })
    };
    let read = operation("read", false, json!({ "kind": "row", "table": 0, "keys": keys }));
    let add = operation("add", true, json!({ "kind": "nothing" }));
    let change = json!({
        "kind": "add", "row": { "table": 0, "keys": keys }, "column": 2,
        "amount": { "kind": "constant", "value": "1" }, "negative": false,
    });
    let kinds = columns.each_ref().map(|column| json!({ "type": column["type"] }));
    Planned::new(
        json!({ "name": "both", "seed": "1", "tables": [table], "operations": [read, add] }),
        json!({
            "tables": [{ "keyColumns": 1, "columns": kinds }],
            "operations": [
                { "rules": [], "effects": [], "found": [] },
                { "rules": [], "effects": [{ "list": null, "change": change }], "found": [] },
            ],
        }),
    )
}

#[test]
fn allocations_do_not_grow_with_the_operations() {
    let (folder, planned) = (tempfile::tempdir().unwrap(), reads_and_additions());
    let counted = |window_ms: u64| {
        planned.load::<Null>(folder.path());
        let before = TAKEN.load(Ordering::Relaxed);
        let applied = planned.applied::<Null>(folder.path(), (window_ms, true));
        (applied, TAKEN.load(Ordering::Relaxed) - before)
    };
    // What is allocated once is there before.
    counted(SHORT_MS);
    let (few, of_few) = counted(SHORT_MS);
    let (many, of_many) = counted(LONG_MS);
    let (operations, allocations) = (many.saturating_sub(few), of_many.saturating_sub(of_few));
    assert!(operations > 0, "a longer window has more operations: {few}, {many}");
    assert!(
        allocations * OPERATIONS_OF_AN_ALLOCATION_MIN < operations,
        "{operations} more operations made {allocations} more allocations"
    );
}
