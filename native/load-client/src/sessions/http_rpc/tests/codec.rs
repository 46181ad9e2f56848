use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::outcome::Verdict;
use crate::sessions::test_support::{every_type, exchanges, first_of};

fn response(head: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn code_of(outcome: Outcome) -> Option<(FaultCode, bool)> {
    match outcome.verdict {
        Verdict::Fault(fault) => Some((fault.code, fault.in_doubt)),
        _ => None,
    }
}

#[test]
fn a_request_is_that_of_the_protocol() {
    let request = |workload: &Arc<Workload>| {
        let mut output = Vec::new();
        HttpCodec::new("127.0.0.1:4101", workload).encode(&first_of(workload), &mut output);
        String::from_utf8(output).unwrap()
    };
    let expected = "POST /exchange HTTP/1.1\r\nhost: 127.0.0.1:4101\r\ncontent-type: application/json\r\n\
                    content-length: 47\r\n\r\n{\"source\":1,\"target\":4294967295,\"amount\":\"258\"}";
    assert_eq!(request(&exchanges()), expected);
    let workload = every_type();
    let values = first_of(&workload);
    let text = str::from_utf8(values.content(values.word(1), 4)).unwrap();
    let bytes = STANDARD.encode(values.content(values.word(2), 3));
    let record = r#"{"id":7,"count":"-1"}"#;
    let body = format!(r#"{{"flag":true,"text":"{text}","bytes":"{bytes}","list":[{record},{record}]}}"#);
    assert_eq!(request(&workload).split_once("\r\n\r\n").unwrap().1, body);
}

#[test]
fn replies_are_read_wherever_they_are_cut() {
    let applied = response("200 OK", r#"{"kind":"applied","retries":0}"#);
    let declined = response("200 OK", r#"{"kind":"declined","reason":"missing-account","retries":2}"#);
    for cut in 0..applied.len() {
        let mut codec = HttpCodec::new("x", &exchanges());
        assert!(
            matches!(codec.decode(0, &applied[..cut], &mut Spare::default()), Decoded::More(0)),
            "cut at {cut}"
        );
    }
    let mut codec = HttpCodec::new("x", &exchanges());
    let both = [applied.as_slice(), &declined].concat();
    let Decoded::Reply(first, Outcome::APPLIED) = codec.decode(0, &both, &mut Spare::default()) else {
        panic!("not applied")
    };
    assert_eq!(first, applied.len());
    let Decoded::Reply(_, second) = codec.decode(0, &both[first..], &mut Spare::default()) else {
        panic!("no reply")
    };
    assert_eq!(second.verdict, Verdict::Declined(0));
    assert_eq!(second.retries, 2);
}

#[test]
fn a_body_that_is_no_outcome_is_a_protocol_error_in_doubt() {
    let doubt = Some((FaultCode::ProtocolError, true));
    for (status, body) in [
        (200, "applied"),
        (200, r#"{"kind":"applied"}"#),
        (200, r#"{"kind":"applied","retries":0,"more":1}"#),
        (500, r#"{"kind":"applied","retries":0}"#),
        (200, r#"{"kind":"declined","reason":"whim","retries":0}"#),
        (200, r#"{"kind":"fault","code":"deadlock","inDoubt":false,"message":"","retries":0}"#),
    ] {
        assert_eq!(
            code_of(outcome_of(&exchanges().operations[0], status, body.as_bytes(), &mut Spare::default())),
            doubt,
            "{status} {body}"
        );
    }
    let deadlock = br#"{"kind":"fault","code":"deadlock","inDoubt":false,"message":"","retries":3}"#;
    assert_eq!(
        code_of(outcome_of(&exchanges().operations[0], 409, deadlock, &mut Spare::default())),
        Some((FaultCode::Deadlock, false))
    );
}

#[test]
fn what_is_no_http_breaks_the_connection() {
    let mut codec = HttpCodec::new("x", &exchanges());
    assert!(matches!(codec.decode(0, b"SSH-2.0-server\r\n", &mut Spare::default()), Decoded::Broken(_)));
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    assert!(matches!(codec.decode(0, chunked, &mut Spare::default()), Decoded::Broken(_)));
    assert!(matches!(codec.decode(0, b"HTTP/1.1 200 OK\r\n\r\n", &mut Spare::default()), Decoded::Broken(_)));
}
