//! The outcome of one operation: the twin of `packages/contract/src/outcome.ts`.

use fair_bench_workload::Reply;
use serde::{Deserialize, Serialize};

/// What went wrong, other than a business rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// No reply in time.
    Timeout,
    /// The connection ended while the operation was outstanding.
    ConnectionLost,
    /// There was no connection: nothing was sent.
    ConnectionRefused,
    /// The database aborted the transaction.
    SerializationFailure,
    /// The database aborted it to break a deadlock.
    Deadlock,
    /// The server refused it for lack of capacity.
    Overloaded,
    /// The server refused its form.
    InvalidRequest,
    /// The reply could not be understood.
    ProtocolError,
    /// The server failed and said so.
    ServerError,
    /// The client's own code failed.
    Internal,
}

impl FaultCode {
    /// All codes, in the order of the counters.
    pub const ALL: [Self; 10] = [
        Self::Timeout,
        Self::ConnectionLost,
        Self::ConnectionRefused,
        Self::SerializationFailure,
        Self::Deadlock,
        Self::Overloaded,
        Self::InvalidRequest,
        Self::ProtocolError,
        Self::ServerError,
        Self::Internal,
    ];

    /// The name in a trial result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::ConnectionLost => "connection-lost",
            Self::ConnectionRefused => "connection-refused",
            Self::SerializationFailure => "serialization-failure",
            Self::Deadlock => "deadlock",
            Self::Overloaded => "overloaded",
            Self::InvalidRequest => "invalid-request",
            Self::ProtocolError => "protocol-error",
            Self::ServerError => "server-error",
            Self::Internal => "internal",
        }
    }

    /// Whether its session does not work: when every session has such a fault, the target is lost.
    #[must_use]
    pub const fn is_of_dead_session(self) -> bool {
        matches!(self, Self::ConnectionLost | Self::ConnectionRefused | Self::Internal)
    }
}

/// An operation that was neither applied nor declined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub code: FaultCode,
    /// Whether the operation may have been applied nevertheless.
    pub in_doubt: bool,
    /// What happened, as a text for people.
    pub message: String,
}

/// What a session answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happened.
    Applied,
    /// A rule of the workload declined it: the reason's number in the operation.
    Declined(u16),
    /// It failed. Boxed: the common outcomes stay small.
    Fault(Box<Fault>),
}

/// A verdict, the server's attempts beyond the first, and the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What became of the operation.
    pub verdict: Verdict,
    /// Attempts beyond the first.
    pub retries: u64,
    /// The result of an applied operation. Boxed, because most return nothing; taken from `Spare`, and given back to it.
    pub reply: Option<Box<Reply>>,
}

impl Outcome {
    /// Applied at the first attempt.
    pub const APPLIED: Self = Self { verdict: Verdict::Applied, retries: 0, reply: None };

    /// Applied at the first attempt, with its result.
    #[must_use]
    pub const fn replied(reply: Box<Reply>) -> Self {
        Self { verdict: Verdict::Applied, retries: 0, reply: Some(reply) }
    }

    /// Declined at the first attempt.
    #[must_use]
    pub const fn declined(reason: u16) -> Self {
        Self { verdict: Verdict::Declined(reason), retries: 0, reply: None }
    }

    /// A fault without doubt: the operation was not applied.
    #[must_use]
    pub fn refused(code: FaultCode, message: impl Into<String>) -> Self {
        Self::fault(code, false, message)
    }

    /// A fault after which the client cannot know whether the operation was applied.
    #[must_use]
    pub fn in_doubt(code: FaultCode, message: impl Into<String>) -> Self {
        Self::fault(code, true, message)
    }

    fn fault(code: FaultCode, in_doubt: bool, message: impl Into<String>) -> Self {
        let fault = Fault { code, in_doubt, message: message.into() };
        Self { verdict: Verdict::Fault(Box::new(fault)), retries: 0, reply: None }
    }
}

/// What became of a canary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CanaryOutcome {
    /// Which of the plan's.
    pub number: u32,
    /// `applied`, `declined` or `fault`.
    pub outcome: &'static str,
    /// When its reply was there, by the system's monotonic clock.
    pub at_ms: f64,
}

/// A watched operation was acknowledged as applied.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Acknowledged {
    /// Its session.
    pub session: u32,
    /// Its number in its session.
    pub sequence: u32,
    /// When its reply was there, by the system's monotonic clock.
    pub at_ms: f64,
    /// The first and the last session of its thread.
    pub sessions: [u32; 2],
    /// None of them had drawn an operation beyond this one then.
    pub drawn_most: u32,
}

#[cfg(test)]
#[path = "tests/outcome.rs"]
mod tests;
