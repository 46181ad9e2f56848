//! The ledger's arithmetic and bytes.

use fair_bench_workload_transfer::{Ledger, LedgerError, Transfer};

fn transfer(source: u32, target: u32, amount: i64) -> Transfer {
    Transfer { source, target, amount }
}

#[test]
fn the_bytes_are_those_of_the_specification() {
    let mut ledger = Ledger::new(4).unwrap();
    ledger.record_applied(&transfer(3, 1, 10)).unwrap();
    ledger.record_applied(&transfer(1, 0, 10)).unwrap();
    let expected = [
        b"FBTL".as_slice(),
        &[1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0],
        &[3, 0, 0, 0, 0xf6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ]
    .concat();
    assert_eq!(ledger.encode(), expected);
}

#[test]
fn threads_are_merged_as_if_there_had_been_one() {
    let (mut one, mut other, mut both) =
        (Ledger::new(3).unwrap(), Ledger::new(3).unwrap(), Ledger::new(3).unwrap());
    for (ledger, operation) in [(0, transfer(0, 1, 5)), (1, transfer(1, 2, 5)), (1, transfer(2, 0, 7))] {
        [&mut one, &mut other][ledger].record_applied(&operation).unwrap();
        both.record_applied(&operation).unwrap();
    }
    other.record_in_doubt(&transfer(2, 1, 9));
    one.merge(&other).unwrap();
    assert_eq!(one.encode(), both.encode());
    assert_eq!(one.in_doubt(), [transfer(2, 1, 9)]);
}

#[test]
fn an_effect_that_a_double_would_not_hold_is_refused_and_leaves_no_trace() {
    let mut ledger = Ledger::new(2).unwrap();
    ledger.record_applied(&transfer(0, 1, (1 << 53) - 1)).unwrap();
    let before = ledger.encode();
    assert_eq!(ledger.record_applied(&transfer(0, 1, 1)), Err(LedgerError::Overflow(0)));
    assert_eq!(ledger.record_applied(&transfer(0, 2, 1)), Err(LedgerError::NoSuchAccount(2)));
    assert_eq!(ledger.encode(), before);
}
