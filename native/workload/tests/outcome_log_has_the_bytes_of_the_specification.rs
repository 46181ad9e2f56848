//! Section 10: the words of a section.

#![allow(clippy::unwrap_used, reason = "a description that cannot be read is a failed test")]

use std::sync::Arc;

use fair_bench_workload::{
    Description, LOG_BYTES_MAX, Log, Logged, Replies, Values, Workload, log_file_head,
};
use serde_json::json;

/// One operation that is timed when it `sets` a column.
fn workload(sets: bool) -> Workload {
    let column = |name: &str| json!({ "name": name, "type": { "kind": "key" }, "generator": { "kind": "constant", "value": 0 } });
    let effects = if sets { json!([{ "kind": "set", "target": "r.n", "to": "value" }]) } else { json!([]) };
    let description = json!({
        "version": 1, "name": "test", "about": "", "parameters": [], "axes": [],
        "tables": [{ "name": "t", "rows": [5], "key": ["id"], "columns": [column("id"), column("n")], "indexes": [] }],
        "operations": [{
            "name": "put", "weight": 1, "arguments": [column("id"), column("value")],
            "rows": [{ "name": "r", "table": "t", "keys": ["id"] }], "declines": [], "effects": effects,
            "returns": { "kind": "nothing" }, "asserts": "all",
        }],
    });
    let parameters = json!({ "seed": "1" });
    Workload::resolve(&Description::parse(&description).unwrap(), parameters.as_object().unwrap()).unwrap()
}

fn words_of(sets: bool, outcomes: &[(u32, Logged)]) -> Vec<u32> {
    let replies = Arc::new(Replies::new(&Arc::new(workload(sets))));
    let mut log = Log::new(&replies, (2, 1), 3, LOG_BYTES_MAX);
    for (sequence, logged) in outcomes {
        log.drawn(0);
        let mut values = Values::default();
        values.sequence = *sequence;
        log.settled(
            0,
            &values,
            (*logged, None),
            [10_000 * u64::from(*sequence) + 999, 10_000 * u64::from(*sequence) + 4_001],
        );
    }
    log.encode().chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn what_was_applied_costs_a_counter_and_the_rest_two_words() {
    let outcomes =
        [(1, Logged::Declined(3)), (0, Logged::Applied), (3, Logged::InDoubt(1)), (2, Logged::Fault(4))];
    let exceptions = [1, 3, 3, 2 << 8 | 1, 2, 1 << 8 | 4];
    let header = [2, 3, 4, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0];
    assert_eq!(words_of(false, &outcomes), [&header[..], &exceptions].concat());
    assert_eq!(log_file_head(), *b"FBOL\x01\0\0\0");
}

#[test]
fn times_stand_at_their_sequence_and_what_is_in_doubt_never_settled() {
    let outcomes = [(2, Logged::InDoubt(0)), (0, Logged::Applied)];
    let header = [2, 3, 2, 1, 0, 0, 0, 2, 6, 0, 0, 0, 0];
    let (exceptions, times) = ([2, 2 << 8], [0, 5, 0, 0, 20, u32::MAX]);
    assert_eq!(words_of(true, &outcomes), [&header[..], &exceptions, &times].concat());
}
