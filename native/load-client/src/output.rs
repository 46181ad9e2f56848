//! Events go to standard output, one object a line; text for people to standard error.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::clock::{Nanos, to_ms};
use crate::counts::KindCounts;
use crate::engine::CanaryOutcome;

/// What a trial is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Until throughput is steady.
    Warmup,
    /// What is measured.
    Window,
    /// Until nothing is outstanding.
    Drain,
}

impl Phase {
    /// The name in an event.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warmup => "warmup",
            Self::Window => "window",
            Self::Drain => "drain",
        }
    }
}

/// An event of the protocol.
pub enum TrialEvent {
    /// All sessions are connected.
    Ready(u32),
    /// A phase begins.
    Phase(Phase),
    /// Counts since the phase began.
    Progress(Phase, Nanos, KindCounts),
    /// For a share of a trial, at the end of a slice of its warm-up: applied so far.
    Slice(u64, u64),
    /// A canary has an outcome.
    Canary(CanaryOutcome),
    /// The last line of a trial with a result.
    Result(Value),
    /// The last line of a trial without one.
    Failed(String),
}

impl TrialEvent {
    fn to_json(&self) -> Value {
        match self {
            Self::Ready(sessions) => json!({ "type": "ready", "sessions": sessions }),
            Self::Phase(phase) => json!({ "type": "phase", "phase": phase.name() }),
            Self::Progress(phase, elapsed, counts) => json!({
                "type": "progress",
                "phase": phase.name(),
                "elapsedMs": to_ms(*elapsed),
                "applied": counts.applied,
                "declined": counts.declined,
                "faults": counts.faults,
            }),
            Self::Slice(slice, applied) => json!({ "type": "slice", "slice": slice, "applied": applied }),
            Self::Canary(CanaryOutcome { number, outcome, at_ms }) => json!({
                "type": "canary", "number": number, "outcome": outcome, "atMs": at_ms,
            }),
            Self::Result(result) => json!({ "type": "result", "result": result }),
            Self::Failed(reason) => json!({ "type": "failed", "reason": reason }),
        }
    }
}

/// Writes an event as one line. Without a reader the process ends.
pub fn write_event(event: &TrialEvent) {
    let line = format!("{}\n", event.to_json());
    let mut output = std::io::stdout().lock();
    if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
        std::process::exit(1);
    }
}

/// One line for people.
pub fn write_notice(text: &str) {
    // If standard error is closed, drop the message.
    let _unheard = writeln!(std::io::stderr(), "load client: {}", one_line(text));
}

/// Without line breaks.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
