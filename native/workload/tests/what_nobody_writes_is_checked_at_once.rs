//! Section 10: in a trial that draws no operation that writes, every value is compared with its seed at once, and neither reads
//! nor times are logged.

#![allow(clippy::unwrap_used, reason = "a description that cannot be read is a failed test")]

use std::sync::Arc;

use fair_bench_workload::{LOG_BYTES_MAX, Log, Logged, Replies, Reply, Values, Workload};
use serde_json::{Value, json};

const ROWS: u64 = 5;
const TEXT: u32 = 30;
/// Of a header.
const MISTAKES: usize = 5;
const TEXT_BYTES: usize = 6;
const TIMES: usize = 8;
const READS: usize = 9;
const HEADER_WORDS: usize = 13;

/// Reads a row by its key, or the rows from a key on; `write` is the weight of what sets and adds.
fn workload(write: u32) -> Arc<Workload> {
    let column = |name: &str, kind: Value, seed: Value, [added, set]: [bool; 2]| json!({ "name": name, "type": kind, "seed": seed, "added": added, "set": set });
    let text = || json!({ "kind": "text", "length": TEXT });
    let content = || json!({ "kind": "content" });
    let columns = [
        column("id", json!({ "kind": "key" }), json!({ "kind": "constant", "value": 0 }), [false, false]),
        column(
            "count",
            json!({ "kind": "int64" }),
            json!({ "kind": "constant", "value": "7" }),
            [true, false],
        ),
        column("a", text(), content(), [false, true]),
        column("b", text(), content(), [false, true]),
    ];
    let key =
        json!({ "kind": "uniform", "table": 0, "min": "0", "count": ROWS, "not": null, "distinct": false });
    let id = json!({ "kind": "scalar", "name": "id", "type": { "kind": "key" }, "generator": key });
    let keys = json!([{ "kind": "argument", "argument": 0 }]);
    let operation = |name: &str, weight: u32, writes: bool, returns: Value| {
        json!({
            "name": name, "weight": weight, "arguments": [id], "reasons": [], "writes": writes, "timed": "always", "returns": returns,
        })
    };
    let scan = json!({
        "kind": "scan", "table": 0, "from": keys, "prefix": [], "descending": false,
        "limit": { "kind": "constant", "value": 2 }, "complete": false,
    });
    let planned = json!({
        "name": "test", "seed": "1",
        "tables": [{
            "name": "t", "extents": [ROWS], "rows": ROWS, "keyColumns": 1, "columns": columns, "written": true,
        }],
        "operations": [
            operation("read", 1, false, json!({ "kind": "row", "table": 0, "keys": keys })),
            operation("scan", 1, false, scan),
            operation("write", write, true, json!({ "kind": "nothing" })),
        ],
    });
    Arc::new(Workload::parse(&planned).unwrap())
}

/// The words of a log with one operation, the first of its session, that returned rows of these ids, after `lie` has changed
/// each.
fn words_of(write: u32, operation: u32, ids: &[u64], lie: impl Fn(&mut u64, &mut [Vec<u8>; 2])) -> Vec<u32> {
    let workload = workload(write);
    let replies = Arc::new(Replies::new(&workload));
    let mut log = Log::new(&replies, (0, 1), 1, LOG_BYTES_MAX);
    let mut values =
        Values::parse(operation, &workload.operations[operation as usize], &[json!(ids[0])]).unwrap();
    let mut reply = Reply::new(4);
    for id in ids {
        let mut count = 7;
        let mut texts = [2, 3].map(|place| replies.seeded_content((0, place), id % ROWS));
        lie(&mut count, &mut texts);
        reply.push(*id);
        reply.push(count);
        texts.iter().for_each(|text| reply.push_content(text));
    }
    log.drawn(0, &mut values);
    log.settled(0, &values, (Logged::Applied, Some(&reply)), [1_000, 2_000]);
    log.encode().chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn mistake_of(words: &[u32]) -> String {
    let bytes: Vec<u8> = words[HEADER_WORDS..].iter().flat_map(|word| word.to_le_bytes()).collect();
    String::from_utf8(bytes[..words[TEXT_BYTES] as usize].to_vec()).unwrap()
}

#[test]
fn right_rows_leave_a_counter_alone() {
    let truth = |_: &mut u64, _: &mut [Vec<u8>; 2]| {};
    for (operation, ids) in [(0, &[3][..]), (1, &[3, 4])] {
        let words = words_of(0, operation, ids, truth);
        assert_eq!(words, [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    let logged = words_of(1, 0, &[3], truth);
    assert_eq!([logged[MISTAKES], logged[TIMES], logged[READS]], [0, 2, 3]);
}

#[test]
fn every_byte_of_the_text_in_turn_and_every_number_is_compared_with_its_seed() {
    for place in 0..TEXT as usize {
        let words = words_of(0, 0, &[3], |_, texts| texts[0][place] ^= 1);
        let text = mistake_of(&words);
        assert!(text.starts_with("session 0, operation 0: read: t (3): a is "), "byte {place}: {text}");
        assert!(text.ends_with(", and was never written"), "{text}");
    }
    let number = mistake_of(&words_of(0, 0, &[3], |count, _| *count = 8));
    assert_eq!(number, "session 0, operation 0: read: t (3): count is 8, and was never written");
    let shorter = mistake_of(&words_of(0, 0, &[3], |_, texts| texts[0].truncate(29)));
    assert!(shorter.contains("a has a length of 29, not 30"), "{shorter}");
    // Another row's text is whole, and names its writer.
    let other = mistake_of(&words_of(0, 0, &[3], |_, texts| texts.swap(0, 1)));
    assert!(other.contains(": a is ") && other.ends_with("never written"), "{other}");
}

#[test]
fn a_row_that_was_never_seeded_is_named() {
    let words = words_of(0, 1, &[4, 5], |_, _| {});
    assert_eq!(mistake_of(&words), "session 0, operation 0: scan: t (5) was never inserted");
    assert_eq!(words_of(1, 1, &[4, 5], |_, _| {})[MISTAKES], 0, "somebody may have inserted it");
}
