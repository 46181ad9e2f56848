use serde_json::json;

use super::*;
use crate::outcome::{FaultCode, Verdict};
use crate::sessions::test_support::{every_type, exchanges, first_of};

const REPLY: &[u8] = b"2\0\0\0\x04D\0\0\0\x0a\0\x01\xff\xff\xff\xffC\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I";

fn fresh() -> PostgresCodec {
    codec(&exchanges(), &CallOptions::default())
}

fn codec(workload: &Arc<Workload>, options: &CallOptions) -> PostgresCodec {
    PostgresCodec::new(workload, options).expect("a codec")
}

fn encoded(workload: &Arc<Workload>, options: &CallOptions) -> Vec<u8> {
    let mut output = Vec::new();
    codec(workload, options).encode(&first_of(workload), &mut output);
    output
}

fn options(value: serde_json::Value) -> CallOptions {
    let [protocol, statements, texts] =
        ["protocol", "statements", "texts"].map(|name| value.get(name).cloned().unwrap_or_default());
    CallOptions {
        batches: false,
        protocol: serde_json::from_value(protocol).expect("a protocol"),
        statements: serde_json::from_value(statements).unwrap_or_default(),
        texts: serde_json::from_value(texts).unwrap_or_default(),
    }
}

#[test]
fn a_call_is_bind_execute_and_sync() {
    let expected = [
        b"B\0\0\0\x3c\0exchange\0\0\x01\0\x01\0\x03".as_slice(),
        b"\0\0\0\x08\0\0\0\0\0\0\0\x01",
        b"\0\0\0\x08\0\0\0\0\xff\xff\xff\xff",
        b"\0\0\0\x08\0\0\0\0\0\0\x01\x02",
        b"\0\x01\0\x01",
        b"E\0\0\0\x09\0\0\0\0\0",
        b"S\0\0\0\x04",
    ]
    .concat();
    assert_eq!(encoded(&exchanges(), &CallOptions::default()), expected);
}

#[test]
fn a_call_that_is_parsed_each_time_has_no_name() {
    let statement = "SELECT $1, $2, $3";
    let extended = options(json!({ "protocol": "extended", "statements": { "exchange": statement } }));
    let output = encoded(&exchanges(), &extended);
    let parse =
        [b"P\0\0\0\x25\0".as_slice(), statement.as_bytes(), b"\0\0\x03", &b"\0\0\0\x14".repeat(3)].concat();
    assert_eq!(output[..parse.len()], parse);
    assert!(output[parse.len()..].starts_with(b"B\0\0\0\x34\0\0\0\x01\0\x01\0\x03"), "{output:?}");
    let reply = [b"1\0\0\0\x04", REPLY].concat();
    let mut codec = codec(&exchanges(), &extended);
    assert!(
        matches!(codec.decode(0, &reply, &mut Spare::default()), Decoded::Reply(taken, Outcome::APPLIED) if taken == reply.len())
    );
    assert!(
        matches!(codec.decode(0, REPLY, &mut Spare::default()), Decoded::Broken(_)),
        "nothing was parsed"
    );
}

#[test]
fn a_simple_query_has_its_values_in_it_quoted() {
    let pieces = json!(["f(", 0, "::bool, ", 1, ", ", 2, ", ", 3, ", ", 4, ")"]);
    let simple = options(json!({ "protocol": "simple", "texts": { "exchange": pieces } }));
    let workload = every_type();
    let values = first_of(&workload);
    let text = String::from_utf8_lossy(values.content(values.word(1), 4)).into_owned();
    let hex: String = values.content(values.word(2), 3).iter().map(|byte| format!("{byte:02x}")).collect();
    let query = format!(r#"f('true'::bool, '{text}',  E'\\x{hex}', '{{"7","7"}}', '{{"-1","-1"}}')"#);
    let length = (query.len() as u32 + 5).to_be_bytes();
    let expected = [b"Q".as_slice(), &length, query.as_bytes(), b"\0"].concat();
    assert_eq!(encoded(&workload, &simple), expected);
    let [described, done] = [b"T\0\0\0\x06\0\0".as_slice(), b""].map(|begin| [begin, &REPLY[5..]].concat());
    let mut codec = codec(&workload, &simple);
    assert!(matches!(
        codec.decode(0, &described, &mut Spare::default()),
        Decoded::Reply(_, Outcome::APPLIED)
    ));
    let none = &done[11..];
    assert!(matches!(codec.decode(0, none, &mut Spare::default()), Decoded::Reply(_, Outcome::APPLIED)));
    assert!(matches!(codec.decode(0, REPLY, &mut Spare::default()), Decoded::Broken(_)), "nothing was bound");
    let missing = options(json!({ "protocol": "simple" }));
    let error = PostgresCodec::new(&workload, &missing).err().expect("an error").to_string();
    assert!(error.contains("the operation exchange has no text"), "{error}");
}

#[test]
fn a_list_is_an_array_for_each_field() {
    let workload = every_type();
    let values = first_of(&workload);
    let (text, bytes) = (values.content(values.word(1), 4), values.content(values.word(2), 3));
    let expected = [
        b"B\0\0\0\x8c\0exchange\0\0\x01\0\x01\0\x05".as_slice(),
        b"\0\0\0\x01\x01",
        b"\0\0\0\x04",
        text,
        b"\0\0\0\x03",
        bytes,
        b"\0\0\0\x2c\0\0\0\x01\0\0\0\0\0\0\0\x14\0\0\0\x02\0\0\0\x01",
        &b"\0\0\0\x08\0\0\0\0\0\0\0\x07".repeat(2),
        b"\0\0\0\x2c\0\0\0\x01\0\0\0\0\0\0\0\x14\0\0\0\x02\0\0\0\x01",
        &b"\0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xff".repeat(2),
        b"\0\x01\0\x01",
        b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04",
    ]
    .concat();
    assert_eq!(encoded(&workload, &CallOptions::default()), expected);
}

#[test]
fn null_is_applied_and_a_reason_declines() {
    let outcome = |value: &[u8]| {
        let length = (value.len() as u32).to_be_bytes();
        outcome_of_row(&exchanges().operations[0], &[&[0, 1], &length[..], value].concat())
    };
    let null = outcome_of_row(&exchanges().operations[0], b"\0\x01\xff\xff\xff\xff");
    assert_eq!(null.ok(), Some(Outcome::APPLIED));
    assert_eq!(outcome(b"insufficient-funds").ok(), Some(Outcome::declined(1)));
    assert_eq!(outcome(b"missing-account").ok(), Some(Outcome::declined(0)));
    for unknown in [b"whim".as_slice(), b"\0\x09", b""] {
        let Ok(Outcome { verdict: Verdict::Fault(fault), .. }) = outcome(unknown) else { panic!("no fault") };
        assert_eq!((fault.code, fault.in_doubt), (FaultCode::ProtocolError, true));
    }
}

#[test]
fn replies_are_read_wherever_they_are_cut() {
    for cut in 0..=REPLY.len() {
        let mut codec = fresh();
        let taken = match codec.decode(0, &REPLY[..cut], &mut Spare::default()) {
            Decoded::More(taken) => taken,
            Decoded::Reply(taken, Outcome::APPLIED) if cut == REPLY.len() => {
                assert_eq!(taken, REPLY.len());
                continue;
            }
            _ => panic!("cut at {cut}"),
        };
        let Decoded::Reply(rest, Outcome::APPLIED) = codec.decode(0, &REPLY[taken..], &mut Spare::default())
        else {
            panic!("cut at {cut}")
        };
        assert_eq!(taken + rest, REPLY.len());
    }
}

#[test]
fn an_error_is_answered_when_the_server_is_ready_again_or_gone() {
    let error = b"E\0\0\0\x25SERROR\0VERROR\0C40001\0Mtext\0Rwhere\0\0";
    let mut length = error.to_vec();
    length[4] = (error.len() - 1) as u8;
    let mut codec = fresh();
    assert!(
        matches!(codec.decode(0, &length, &mut Spare::default()), Decoded::More(taken) if taken == error.len())
    );
    assert!(codec.last_words().is_none(), "an ERROR does not end a session");
    let mut codec = fresh();
    let reply = [length.as_slice(), b"Z\0\0\0\x05I"].concat();
    let Decoded::Reply(_, outcome) = codec.decode(0, &reply, &mut Spare::default()) else {
        panic!("no reply")
    };
    let Verdict::Fault(fault) = outcome.verdict else { panic!("no fault") };
    assert_eq!((fault.code, fault.in_doubt), (FaultCode::SerializationFailure, false));
}

#[test]
fn a_reply_in_another_order_breaks_the_connection() {
    for bytes in [b"C\0\0\0\x0dSELECT 1\0".as_slice(), b"Z\0\0\0\x05I", b"2\0\0\0\x03", b"D\0\0\0\x06\0\0"] {
        let mut codec = fresh();
        assert!(matches!(codec.decode(0, bytes, &mut Spare::default()), Decoded::Broken(_)), "{bytes:?}");
    }
}
