//! Replies as bytes, and their meaning.

use std::sync::Arc;

use fair_bench_workload::{Operation, Returns, Values, Workload};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::reply::parse_reply;
use super::request::Requests;
use crate::error::Error;
use crate::outcome::{FaultCode, Outcome};
use crate::sessions::codec::{Codec, Decoded, DecodedBatch, Read};
use crate::sessions::session::Spare;

const HEAD_BYTES_MAX: usize = 16 * 1024;
const BODY_BYTES_MAX: usize = 64 << 20;
const HEADERS_MAX: usize = 64;
/// The reply to nearly every operation, byte for byte.
const APPLIED: &[u8] = br#"{"kind":"applied","retries":0}"#;

/// Encodes requests and decodes replies, one after the other as they were sent.
pub(super) struct HttpCodec {
    requests: Requests,
    workload: Arc<Workload>,
    /// The last reply's head as bytes, and its meaning: the next one is nearly always equal.
    last: Vec<u8>,
    last_status: u16,
    last_body_bytes: usize,
}

impl HttpCodec {
    pub(super) fn new(authority: &str, workload: &Arc<Workload>) -> Self {
        Self {
            requests: Requests::new(authority, workload),
            workload: Arc::clone(workload),
            last: Vec::new(),
            last_status: 0,
            last_body_bytes: 0,
        }
    }

    /// Status, beginning and end of the body; `None` if it is incomplete.
    #[inline]
    pub(super) fn response(&mut self, input: &[u8]) -> Read<Option<(u16, usize, usize)>> {
        if (self.last.is_empty() || !input.starts_with(&self.last)) && !self.parse_head(input)? {
            return Ok(None);
        }
        let begin = self.last.len();
        let end = begin + self.last_body_bytes;
        Ok((input.len() >= end).then_some((self.last_status, begin, end)))
    }

    /// Whether the head is complete.
    fn parse_head(&mut self, input: &[u8]) -> Read<bool> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let parsed =
            response.parse(input).map_err(|error| Error::broken(format!("no HTTP response: {error}")))?;
        let httparse::Status::Complete(length) = parsed else {
            let short = input.len() < HEAD_BYTES_MAX;
            return if short {
                Ok(false)
            } else {
                Err(Error::broken("the head of a response has no end").into())
            };
        };
        let named = |name: &str| {
            let mut found = response.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            (found.next(), found.next().is_some())
        };
        if let (Some(_), _) = named("transfer-encoding") {
            let what = "a response has a transfer-encoding; the RPC protocol has content-length";
            return Err(Error::broken(what).into());
        }
        let body_bytes = match named("content-length") {
            (Some(header), false) => {
                std::str::from_utf8(header.value).ok().and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        let Some(body_bytes) = body_bytes.filter(|bytes| *bytes <= BODY_BYTES_MAX) else {
            let what = format!("a response has no one content-length up to {BODY_BYTES_MAX}");
            return Err(Error::broken(what).into());
        };
        let status = response.code.unwrap_or_default();
        self.last.clear();
        self.last.extend_from_slice(&input[..length]);
        (self.last_status, self.last_body_bytes) = (status, body_bytes);
        Ok(true)
    }
}

impl Codec for HttpCodec {
    #[inline]
    fn encode(&mut self, values: &Values, output: &mut Vec<u8>) {
        let operation = &self.workload.operations[values.operation as usize];
        self.requests.encode(operation, values, output);
    }

    #[inline]
    fn decode(&mut self, operation: u32, input: &[u8], spare: &mut Spare) -> Decoded {
        match self.response(input) {
            Ok(Some((status, begin, end))) => {
                let operation = &self.workload.operations[operation as usize];
                Decoded::Reply(end, outcome_of(operation, status, &input[begin..end], spare))
            }
            Ok(None) => Decoded::More(0),
            Err(error) => Decoded::Broken(error),
        }
    }

    fn encode_batch(&mut self, batch: &[Values], output: &mut Vec<u8>) {
        self.requests.encode_batch(&self.workload, batch, output);
    }

    fn decode_batch(&mut self, operations: &[u32], input: &[u8], spare: &mut Spare) -> DecodedBatch {
        match self.response(input) {
            Ok(Some((status, begin, end))) => {
                let outcomes = outcomes_of((&self.workload, operations), status, &input[begin..end], spare);
                DecodedBatch::Reply(end, outcomes)
            }
            Ok(None) => DecodedBatch::More(0),
            Err(error) => DecodedBatch::Broken(error),
        }
    }

    fn last_words(&mut self) -> Option<Outcome> {
        None
    }

    fn farewell(&self) -> &'static [u8] {
        b""
    }
}

/// Reads the reply to a batch: an outcome for each operation, or the fault of all. An invalid body leaves all in doubt.
fn outcomes_of(
    (workload, operations): (&Workload, &[u32]),
    status: u16,
    body: &[u8],
    spare: &mut Spare,
) -> Vec<Outcome> {
    let operation_of = |number: &u32| &workload.operations[*number as usize];
    let for_all = |outcome: Outcome| vec![outcome; operations.len()];
    let broken = |what: &str| {
        let excerpt: String = String::from_utf8_lossy(body).chars().take(200).collect();
        for_all(Outcome::in_doubt(FaultCode::ProtocolError, format!("status {status} {what}: {excerpt:?}")))
    };
    if status != 200 {
        let outcome = operations.first().map(|first| outcome_of(operation_of(first), status, body, spare));
        return outcome.map_or_else(Vec::new, for_all);
    }
    let Ok(values) = serde_json::from_slice::<Vec<&RawValue>>(body) else {
        return broken("with a body that is no array");
    };
    if values.len() != operations.len() {
        return broken("with another number of outcomes");
    }
    let pairs = operations.iter().zip(values);
    pairs.map(|(number, value)| part_of(operation_of(number), value.get().as_bytes(), spare)).collect()
}

/// One outcome of a batch. Its status is that of the batch, whatever it is.
fn part_of(operation: &Operation, json: &[u8], spare: &mut Spare) -> Outcome {
    let is_fault = json.starts_with(br#"{"kind":"fault""#);
    outcome_of(operation, if is_fault { 500 } else { 200 }, json, spare)
}

/// Reads a reply. An invalid body leaves the operation in doubt.
#[inline]
fn outcome_of(operation: &Operation, status: u16, body: &[u8], spare: &mut Spare) -> Outcome {
    if status == 200 && body == APPLIED && matches!(operation.returns, Returns::Nothing) {
        return Outcome::APPLIED;
    }
    let wrong = |what: &str| {
        let excerpt: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Outcome::in_doubt(FaultCode::ProtocolError, format!("status {status} {what}: {excerpt:?}"))
    };
    let members = match serde_json::from_slice::<Members<'_>>(body) {
        Ok(members) => members,
        Err(error) if error.is_data() => return wrong("with a body that is no outcome"),
        Err(_) => return wrong("with a body that is not JSON"),
    };
    let is_fault = matches!(members.kind, Kind::Fault);
    match members.outcome(operation, spare) {
        None => wrong("with a body that is no outcome"),
        Some(_) if is_fault != (status >= 400) => wrong("does not go with the outcome"),
        Some(outcome) => outcome,
    }
}

/// An outcome as JSON, in the order of the contract's schema and as strict.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Members<'a> {
    kind: Kind,
    retries: f64,
    #[serde(borrow, default, deserialize_with = "present")]
    reply: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    reason: Option<&'a str>,
    #[serde(default, deserialize_with = "present")]
    code: Option<FaultCode>,
    #[serde(default, deserialize_with = "present")]
    in_doubt: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Applied,
    Declined,
    Fault,
}

/// A member that is null is not the same as one that is not there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl Members<'_> {
    /// `None` when its members are not those of its kind, or the operation has no such reply.
    fn outcome(self, operation: &Operation, spare: &mut Spare) -> Option<Outcome> {
        let Self { kind, retries, reply, reason, code, in_doubt, message } = self;
        let returns_nothing = matches!(operation.returns, Returns::Nothing);
        let mut outcome = match (kind, reply, reason, code, in_doubt, message) {
            (Kind::Applied, None, None, None, None, None) if returns_nothing => Outcome::APPLIED,
            (Kind::Applied, Some(reply), None, None, None, None) => {
                Outcome::replied(parse_reply(operation, reply.get(), spare)?)
            }
            (Kind::Declined, None, Some(reason), None, None, None) => {
                Outcome::declined(operation.reason(reason)?)
            }
            (Kind::Fault, None, None, Some(code), Some(true), Some(message)) => {
                Outcome::in_doubt(code, message)
            }
            (Kind::Fault, None, None, Some(code), Some(false), Some(message)) => {
                Outcome::refused(code, message)
            }
            _ => return None,
        };
        if retries < 0.0 || retries.fract() != 0.0 {
            return None;
        }
        outcome.retries = retries as u64;
        Some(outcome)
    }
}

#[cfg(test)]
#[path = "tests/codec.rs"]
mod tests;
