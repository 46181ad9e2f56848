//! The meaning of a reply, or of its absence, for its operation.

use std::borrow::Cow;

use crate::message::ReplyResult;

/// What a module's error begins with when a rule of the workload said no.
const DECLINED: &str = "declined:";

/// What became of one call, in the bytes of the frame that says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<'frame> {
    /// It was committed.
    Applied,
    /// It was committed, and returned a value: its BSATN.
    Returned(&'frame [u8]),
    /// A rule of the workload declined it, for this reason; nothing was changed.
    Declined(Cow<'frame, str>),
    /// Anything else.
    Fault(Fault),
}

/// A call that was neither applied nor declined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub code: FaultCode,
    /// Whether it may have been applied nevertheless.
    pub in_doubt: bool,
    /// What happened, as a text for people.
    pub message: String,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// The server's message could not be understood.
    ProtocolError,
    /// The server or the module failed and said so.
    ServerError,
}

impl<'frame> Outcome<'frame> {
    /// Reads the meaning of a module's result.
    #[must_use]
    pub fn of(result: ReplyResult<'frame>) -> Self {
        match result {
            ReplyResult::Ok => Self::Applied,
            ReplyResult::Returned(value) => of_returned(value),
            ReplyResult::Err(error) => of_module_error(error),
            ReplyResult::InternalError(text) => {
                Self::fault(FaultCode::ServerError, true, &String::from_utf8_lossy(text))
            }
        }
    }

    pub(crate) fn fault(code: FaultCode, in_doubt: bool, what: &str) -> Self {
        Self::Fault(Fault { code, in_doubt, message: format!("spacetimedb: {what}") })
    }
}

/// What a procedure returns is a `Result` of its value and a text: the variant, then either.
fn of_returned(result: &[u8]) -> Outcome<'_> {
    match result.split_first() {
        Some((0, value)) => Outcome::Returned(value),
        Some((1, error)) => of_module_error(error),
        _ => Outcome::fault(FaultCode::ProtocolError, true, "the procedure returned no result"),
    }
}

/// A module's error is a BSATN string: its text behind its length.
fn of_module_error(error: &[u8]) -> Outcome<'_> {
    let refused = |what: &str| Outcome::fault(FaultCode::ServerError, false, what);
    let text = match error.split_first_chunk() {
        Some((length, text)) if u32::from_le_bytes(*length) as usize == text.len() => text,
        _ => return refused("the module's error is no text"),
    };
    let reason = text.strip_prefix(DECLINED.as_bytes()).filter(|reason| !reason.is_empty());
    reason.map_or_else(
        || refused(&format!("the module said {}", String::from_utf8_lossy(text))),
        |reason| Outcome::Declined(String::from_utf8_lossy(reason)),
    )
}

#[cfg(test)]
#[path = "tests/outcome.rs"]
mod tests;
