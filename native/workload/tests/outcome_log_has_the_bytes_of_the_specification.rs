//! Section 10: the words of a section.

#![allow(clippy::unwrap_used, reason = "a description that cannot be read is a failed test")]

use std::sync::Arc;

use fair_bench_workload::{LOG_BYTES_MAX, Log, Logged, Replies, Values, Workload, log_file_head};
use serde_json::json;

/// One operation that has times `timed`.
fn workload(timed: &str) -> Workload {
    let planned = json!({
        "name": "test", "seed": "1",
        "tables": [{ "name": "t", "extents": [5], "rows": 5, "keyColumns": 1, "columns": [], "written": true }],
        "operations": [{
            "name": "put", "weight": 1, "arguments": [], "reasons": [], "writes": true, "timed": timed,
            "returns": { "kind": "nothing" },
        }],
    });
    Workload::parse(&planned).unwrap()
}

fn words_of(timed: &str, outcomes: &[(u32, Logged)]) -> Vec<u32> {
    words_within(LOG_BYTES_MAX, timed, outcomes)
}

fn words_within(bytes_max: usize, timed: &str, outcomes: &[(u32, Logged)]) -> Vec<u32> {
    let replies = Arc::new(Replies::new(&Arc::new(workload(timed))));
    let mut log = Log::new(&replies, (2, 1), 3, bytes_max);
    for (sequence, logged) in outcomes {
        let mut values = Values::default();
        values.sequence = *sequence;
        log.drawn(0, &mut values);
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
    assert_eq!(words_of("never", &outcomes), [&header[..], &exceptions].concat());
    assert_eq!(log_file_head(), *b"FBOL\x01\0\0\0");
}

#[test]
fn times_stand_at_their_sequence_and_what_is_in_doubt_never_settled() {
    let outcomes = [(2, Logged::InDoubt(0)), (0, Logged::Applied)];
    let header = [2, 3, 2, 1, 0, 0, 0, 2, 6, 0, 0, 0, 0];
    let (exceptions, times) = ([2, 2 << 8], [0, 5, 0, 0, 20, u32::MAX]);
    assert_eq!(words_of("always", &outcomes), [&header[..], &exceptions, &times].concat());
    assert_eq!(words_of("while-room", &outcomes), words_of("always", &outcomes));
}

#[test]
fn times_that_need_not_be_there_leave_half_of_the_bound() {
    let outcomes: Vec<_> = (0..8).map(|sequence| (sequence, Logged::Applied)).collect();
    let lengths = |timed| words_within(4 * 20, timed, &outcomes)[4..9].to_vec();
    // Five operations have times, of two words each, and the log is whole.
    assert_eq!(lengths("while-room"), [0, 0, 0, 0, 10]);
    assert_eq!(lengths("always"), [0, 0, 0, 0, 16]);
}
