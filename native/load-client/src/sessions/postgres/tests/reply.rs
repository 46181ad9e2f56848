use super::*;
use crate::outcome::Verdict;
use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

fn data_row(values: &[Option<&[u8]>]) -> Vec<u8> {
    let mut body = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        body.extend(value.map_or(-1, |value| value.len() as i32).to_be_bytes());
        body.extend_from_slice(value.unwrap_or_default());
    }
    body
}

fn outcome(operation: &Operation, rows: &[&[Option<&[u8]>]]) -> Outcome {
    let read = rows.iter().try_fold(Rows::of(operation, &mut Spare::default()), |read, row| {
        read.push(operation, &data_row(row))
    });
    read.unwrap().into_outcome(operation)
}

#[test]
fn rows_come_after_why_they_were_declined() {
    let workload = returns_rows();
    let operation = &workload.operations[0];
    let row: [Option<&[u8]>; 6] = [None, Some(b"7"), Some(b"-1"), Some(b"t"), Some(b"ab"), Some(b"\\x00ff")];
    assert_eq!(outcome(operation, &[&row]), Outcome::replied(Box::new(one_row())));
    assert_eq!(
        outcome(operation, &[&[None; 6]]),
        Outcome::replied(Box::new(Reply::new(5))),
        "a row of nulls is no row"
    );
    assert_eq!(outcome(operation, &[]), Outcome::replied(Box::new(Reply::new(5))));
    assert_eq!(outcome(operation, &[&[Some(b"missing-account"), None]]), Outcome::declined(0));
    for wrong in [[None, Some(b"x".as_slice())], [Some(b"whim"), None], [None, Some(b"7")]] {
        let Verdict::Fault(fault) = outcome(operation, &[&wrong]).verdict else { panic!("{wrong:?}") };
        assert_eq!((fault.code, fault.in_doubt), (FaultCode::ProtocolError, true), "{wrong:?}");
    }
    assert!(
        Rows::of(operation, &mut Spare::default()).push(operation, b"\0\x02\0\0").is_err(),
        "a row that is cut"
    );
}

#[test]
fn fields_are_one_row() {
    let workload = returns_a_field();
    let operation = &workload.operations[0];
    let mut reply = Reply::new(1);
    reply.push(40);
    assert_eq!(outcome(operation, &[&[None, Some(b"40")]]), Outcome::replied(Box::new(reply)));
    let Verdict::Fault(fault) = outcome(operation, &[]).verdict else { panic!("no fault") };
    assert_eq!((fault.code, fault.in_doubt), (FaultCode::ProtocolError, true));
}
