//! Replies as bytes, and their meaning.

use std::sync::Arc;

use fair_bench_workload::{Operation, Returns, Values, Workload};
use serde::Deserialize as _;
use serde_json::Value;

use super::reply::parse_reply;
use super::request::Requests;
use crate::outcome::{FaultCode, Outcome};
use crate::sessions::codec::{Codec, Decoded};

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
    pub(super) fn response(&mut self, input: &[u8]) -> Result<Option<(u16, usize, usize)>, String> {
        if (self.last.is_empty() || !input.starts_with(&self.last)) && !self.parse_head(input)? {
            return Ok(None);
        }
        let begin = self.last.len();
        let end = begin + self.last_body_bytes;
        Ok((input.len() >= end).then_some((self.last_status, begin, end)))
    }

    /// Whether the head is complete.
    fn parse_head(&mut self, input: &[u8]) -> Result<bool, String> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(input).map_err(|error| format!("no HTTP response: {error}"))?;
        let httparse::Status::Complete(length) = parsed else {
            let short = input.len() < HEAD_BYTES_MAX;
            return if short { Ok(false) } else { Err("the head of a response has no end".to_owned()) };
        };
        let named = |name: &str| {
            let mut found = response.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            (found.next(), found.next().is_some())
        };
        if let (Some(_), _) = named("transfer-encoding") {
            return Err("a response has a transfer-encoding; the RPC protocol has content-length".to_owned());
        }
        let body_bytes = match named("content-length") {
            (Some(header), false) => {
                std::str::from_utf8(header.value).ok().and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        let Some(body_bytes) = body_bytes.filter(|bytes| *bytes <= BODY_BYTES_MAX) else {
            return Err(format!("a response has no one content-length up to {BODY_BYTES_MAX}"));
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
    fn decode(&mut self, operation: u32, input: &[u8]) -> Decoded {
        match self.response(input) {
            Ok(Some((status, begin, end))) => {
                let operation = &self.workload.operations[operation as usize];
                Decoded::Reply(end, outcome_of(operation, status, &input[begin..end]))
            }
            Ok(None) => Decoded::More(0),
            Err(reason) => Decoded::Broken(reason),
        }
    }

    fn last_words(&mut self) -> Option<Outcome> {
        None
    }

    fn farewell(&self) -> &'static [u8] {
        b""
    }
}

/// Reads a reply. An invalid body leaves the operation in doubt.
#[inline]
fn outcome_of(operation: &Operation, status: u16, body: &[u8]) -> Outcome {
    if status == 200 && body == APPLIED && matches!(operation.returns, Returns::Nothing) {
        return Outcome::APPLIED;
    }
    let wrong = |what: &str| {
        let excerpt: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Outcome::in_doubt(FaultCode::ProtocolError, format!("status {status} {what}: {excerpt:?}"))
    };
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return wrong("with a body that is not JSON");
    };
    let Some((outcome, is_fault)) = parse_outcome(operation, &value) else {
        return wrong("with a body that is no outcome");
    };
    if is_fault != (status >= 400) { wrong("does not go with the outcome") } else { outcome }
}

/// An outcome, as strict as the contract's schema, and whether it is a fault.
fn parse_outcome(operation: &Operation, value: &Value) -> Option<(Outcome, bool)> {
    let object = value.as_object()?;
    let fields =
        |names: &[&str]| object.len() == names.len() && names.iter().all(|name| object.contains_key(*name));
    let text = |name: &str| object.get(name)?.as_str();
    let retries = object.get("retries")?.as_f64().filter(|count| *count >= 0.0 && count.fract() == 0.0)?;
    let (mut outcome, is_fault) = match text("kind")? {
        "applied" if fields(&["kind", "retries"]) && matches!(operation.returns, Returns::Nothing) => {
            (Outcome::APPLIED, false)
        }
        "applied" if fields(&["kind", "reply", "retries"]) => {
            (Outcome::replied(parse_reply(operation, object.get("reply")?)?), false)
        }
        "declined" if fields(&["kind", "reason", "retries"]) => {
            (Outcome::declined(operation.reason(text("reason")?)?), false)
        }
        "fault" if fields(&["kind", "code", "inDoubt", "message", "retries"]) => {
            let (code, message) = (FaultCode::deserialize(object.get("code")?).ok()?, text("message")?);
            let in_doubt = object.get("inDoubt")?.as_bool()?;
            let fault = if in_doubt { Outcome::in_doubt } else { Outcome::refused };
            (fault(code, message), true)
        }
        _ => return None,
    };
    outcome.retries = retries as u64;
    Some((outcome, is_fault))
}

#[cfg(test)]
#[path = "tests/codec.rs"]
mod tests;
