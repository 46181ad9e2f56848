//! Why there is no trial, no connection, or no result.

use std::io;

use fair_bench_workload::WorkloadError;
use thiserror::Error;

use crate::outcome::FaultCode;

/// Of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Each is one line, see `one_line`.
#[derive(Debug, Error)]
pub enum Error {
    /// The program's arguments, standard input or the plan are wrong.
    #[error("{place}: {reason}")]
    Plan {
        /// Which of them: the field, for a plan.
        place: String,
        /// What is accepted there.
        reason: String,
    },
    /// Not all sessions could be connected.
    #[error("connecting {sessions} sessions to {endpoint}: {source} ({connected} were connected)")]
    Connect {
        /// How many were wanted.
        sessions: u32,
        /// Where, without user and password.
        endpoint: String,
        /// How many there were.
        connected: usize,
        /// The first failure.
        source: Box<Self>,
    },
    /// There is no connection: nothing was sent.
    #[error("{reason}")]
    Refused {
        /// The fault of an operation that waits for it.
        code: FaultCode,
        /// Why, as a text for people.
        reason: String,
    },
    /// A connection ended.
    #[error("{0}")]
    Ended(String),
    /// The server broke the protocol; the connection is useless from now on.
    #[error("{0}")]
    Broken(String),
    /// This process may not have as many sockets as sessions.
    #[error("{0}")]
    Limit(String),
    /// A `stop` came too early for a result.
    #[error("stopped before the first operation")]
    Stopped,
    /// The leader of a shared trial did not order what comes next.
    #[error("no {what} within {ms} ms of {since}")]
    NoOrder {
        /// What was to be ordered.
        what: &'static str,
        /// How long it was awaited.
        ms: u64,
        /// Since when.
        since: &'static str,
    },
    /// No session works any more.
    #[error(
        "the target at {endpoint} is gone: all {sessions} sessions failed for {operation_ms} ms without one good outcome; \
         last fault: {last}"
    )]
    TargetGone {
        /// Where, without user and password.
        endpoint: String,
        /// The number of sessions.
        sessions: u32,
        /// How long no outcome was good.
        operation_ms: u64,
        /// The last fault's message.
        last: String,
    },
    /// A load thread could not be started, or ended without its report.
    #[error("{0}")]
    Thread(String),
    /// A panic: its message and place.
    #[error("the load client panicked, which is a mistake in it: {0}")]
    Panic(String),
    /// The outcome log.
    #[error("the outcome log cannot be written to {path}: {source}")]
    Log {
        /// Of the plan.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A histogram could not be made, merged or encoded.
    #[error("latency histogram: {0}")]
    Histogram(String),
    /// Of the workload while it is drawn.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl Error {
    /// A plan that is refused: `place` is its field. Both may have line breaks of the plan.
    pub fn plan(place: impl AsRef<str>, reason: impl AsRef<str>) -> Self {
        Self::Plan { place: one_line(place.as_ref()), reason: one_line(reason.as_ref()) }
    }

    /// No connection.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { code: FaultCode::ConnectionRefused, reason: reason.into() }
    }

    /// A protocol that was broken.
    pub fn broken(reason: impl Into<String>) -> Self {
        Self::Broken(reason.into())
    }

    /// The fault of operations that waited for a connection which failed with this.
    #[must_use]
    pub const fn code_of_waiting(&self) -> FaultCode {
        match self {
            Self::Refused { code, .. } => *code,
            _ => FaultCode::ConnectionRefused,
        }
    }

    /// The program's, by `packages/load-client/PROTOCOL.md`: 2 when nothing was connected because the plan was refused.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Plan { .. } => 2,
            _ => 1,
        }
    }
}

/// While a connection is opened.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::refused(error.to_string())
    }
}

/// Without line breaks.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
