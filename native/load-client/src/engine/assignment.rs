//! What a load thread starts with, the orders that it gets later, and its reports.

use std::sync::Arc;

use fair_bench_workload::{Program, Replies, Values, Workload};

use crate::clock::Nanos;
use crate::error::Error;
use crate::outcome::{Acknowledged, CanaryOutcome};
use crate::plan::TrialPlan;
use crate::recorder::Blocks;
use crate::recording::Recording;
use crate::sessions::Connector;

/// What all threads of a trial share.
pub struct Trial {
    /// The plan.
    pub plan: TrialPlan,
    /// What is sent.
    pub workload: Arc<Workload>,
    /// The same, compiled.
    pub program: Arc<Program>,
    /// Sent beside the load, by their numbers.
    pub canaries: Vec<Values>,
    /// What its replies must be.
    pub replies: Arc<Replies>,
    /// How its target is reached.
    pub connector: Box<dyn Connector>,
}

/// Sessions `session_first` … `session_first + session_count − 1`.
pub struct Assignment {
    /// What all threads share.
    pub trial: Arc<Trial>,
    /// The thread's number.
    pub thread: u32,
    /// The first session's number.
    pub session_first: u32,
    /// The number of sessions.
    pub session_count: u32,
    /// Counters that the coordinator reads.
    pub blocks: Arc<Blocks>,
}

/// Commands of the coordinator to a load thread.
pub enum WorkerCommand {
    /// Send the first operations.
    Begin(Nanos),
    /// From and until; sent again with an earlier end, it ends the window there.
    Window(Nanos, Nanos),
    /// The trial has failed: send nothing more, close the sessions.
    Abort,
}

/// Reports to the coordinator.
pub enum Event {
    /// All sessions of the thread are connected.
    Connected,
    /// All of them have failed; sent again when the kind of fault changes.
    Lost(String),
    /// One of them works again.
    Recovered,
    /// A canary has an outcome.
    Canary(CanaryOutcome),
    /// A watched operation was acknowledged.
    Acknowledged(Acknowledged),
    /// The sessions are closed and the thread is done.
    Report(Box<Report>),
    /// The thread is done, without a report.
    Aborted,
    /// The trial has no result.
    Failed(Error),
}

/// A thread's final report.
pub struct Report {
    /// What it measured.
    pub recording: Recording,
    /// When the last operation settled, or was given up.
    pub ended: Nanos,
    /// For how much of the window the thread was on a processor, 0 to 1.
    pub utilization: f64,
}

/// Where events go.
pub type Emit = Arc<dyn Fn(Event) + Send + Sync>;
