//! The bytes are those that the vendor's TypeScript SDK sends and reads; a test of the connector makes it do so.

mod support;

use bytes::BytesMut;
use fair_bench_spacetimedb_wire::{FaultCode, Outcome, ReplyFrame, encode_call};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Golden {
    calls: Vec<Call>,
    client_frame: String,
    server_frame: String,
    outcomes: Vec<Expected>,
}

#[derive(Deserialize)]
struct Call {
    source: u32,
    target: u32,
    amount: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Expected {
    Applied { retries: u32 },
    Declined { reason: String, retries: u32 },
    Fault { code: String, in_doubt: bool, message: String, retries: u32 },
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden.json")).expect("golden.json is as the type says")
}

fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2));
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

#[test]
fn calls_are_encoded_as_by_the_sdk() {
    let golden = golden();
    let mut frame = BytesMut::new();
    for (request_id, call) in (0..).zip(&golden.calls) {
        let arguments = support::transfer(call.source, call.target, call.amount.parse().unwrap());
        encode_call(request_id, support::call(&arguments), &mut frame);
    }
    assert_eq!(frame, hex(&golden.client_frame));
}

#[test]
fn replies_mean_what_they_mean_to_the_sdk_session() {
    let golden = golden();
    let frame = hex(&golden.server_frame);
    let mut outcomes = vec![None; golden.calls.len()];
    for reply in ReplyFrame::new(&frame).unwrap() {
        let reply = reply.unwrap();
        let outcome = as_expected(Outcome::of(reply.result));
        assert_eq!(outcomes[reply.request_id as usize].replace(outcome), None);
    }
    let expected: Vec<_> = golden.outcomes.into_iter().map(Some).collect();
    assert_eq!(outcomes, expected);
}

fn as_expected(outcome: Outcome<'_>) -> Expected {
    match outcome {
        Outcome::Returned(_) => unreachable!("no procedure was called"),
        Outcome::Applied => Expected::Applied { retries: 0 },
        Outcome::Declined(reason) => Expected::Declined { reason: reason.into(), retries: 0 },
        Outcome::Fault(fault) => {
            assert_eq!(fault.code, FaultCode::ServerError);
            let code = "server-error".to_owned();
            Expected::Fault { code, in_doubt: fault.in_doubt, message: fault.message, retries: 0 }
        }
    }
}
