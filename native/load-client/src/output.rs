//! Events go to standard output, one object a line; text for people to standard error.

use std::io::Write as _;

use serde::Serialize;
use serde_json::Value;

use crate::counts::KindCounts;
use crate::error::one_line;
use crate::outcome::{Acknowledged, CanaryOutcome};

/// What a trial is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Until throughput is steady.
    Warmup,
    /// What is measured.
    Window,
    /// Until nothing is outstanding.
    Drain,
}

/// An event of the protocol.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of PROTOCOL.md")]
pub enum TrialEvent {
    /// All sessions are connected.
    Ready {
        sessions: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        open_ms: Option<f64>,
    },
    /// A phase begins.
    Phase { phase: Phase },
    /// Counts since the phase began.
    Progress {
        phase: Phase,
        elapsed_ms: f64,
        #[serde(flatten)]
        counts: KindCounts,
    },
    /// Of the warm-up: everything since the first operation.
    Sample { elapsed_ms: f64, applied: u64, completed: u64, latency_ms: f64 },
    /// A canary has an outcome.
    Canary(CanaryOutcome),
    /// A watched operation was acknowledged.
    Acknowledged(Acknowledged),
    /// The last line of a trial with a result.
    Result { result: Value },
    /// The last line of a trial without one.
    Failed { reason: String },
}

/// Writes an event as one line. Without a reader the process ends.
pub fn write_event(event: &TrialEvent) {
    let mut output = std::io::stdout().lock();
    let written = serde_json::to_vec(event).map_err(std::io::Error::from).and_then(|mut line| {
        line.push(b'\n');
        output.write_all(&line).and_then(|()| output.flush())
    });
    if written.is_err() {
        std::process::exit(1);
    }
}

/// One line for people.
pub fn write_notice(text: &str) {
    // If standard error is closed, drop the message.
    let _unheard = writeln!(std::io::stderr(), "load client: {}", one_line(text));
}
