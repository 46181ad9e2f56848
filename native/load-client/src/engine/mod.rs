//! One thread's share of a trial, on its own runtime.

mod canaries;
mod connect;
mod health;
mod lane;
mod load;
mod pace;
mod processor;
mod state;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use fair_bench_workload::{LOG_BYTES_MAX, Log, Program, Replies, Stream, Values, Workload};
use serde::Serialize;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::clock::Nanos;
use crate::plan::TrialPlan;
use crate::recorder::{Blocks, Recorder};
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
    /// The whole.
    pub trial: Arc<Trial>,
    /// The thread's number.
    pub thread: u32,
    /// The first session's number.
    pub session_first: u32,
    /// How many.
    pub session_count: u32,
    /// Counters that the coordinator reads.
    pub blocks: Arc<Blocks>,
}

/// Orders of the coordinator.
pub enum Command {
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
    /// The sessions are closed and the thread is done.
    Report(Box<Report>),
    /// The thread is done, without a report.
    Aborted,
    /// The trial has no result.
    Failed(String),
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

/// Executes an assignment; called on its own thread. A panic fails the trial.
pub fn run(assignment: Assignment, commands: UnboundedReceiver<Command>, emit: Emit) {
    let work = || -> Result<Event, String> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build_local(LocalOptions::default())
            .map_err(|error| format!("a load thread has no runtime: {error}"))?;
        let event = runtime.block_on(carry_out(&assignment, commands, &emit));
        // Name look-ups may still run; the process does not wait for them.
        runtime.shutdown_background();
        event
    };
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(reason_of(&*panic)));
    emit(result.unwrap_or_else(Event::Failed));
}

static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// Reports a panic once, as the reason for the missing result, without the runtime's own lines.
pub fn tell_panics_as_reasons() {
    std::panic::set_hook(Box::new(|panic| {
        if let (Ok(mut at), Some(location)) = (PANICKED_AT.lock(), panic.location()) {
            *at = Some(location.to_string());
        }
    }));
}

/// A panic's message and place.
#[must_use]
pub fn reason_of(panic: &(dyn Any + Send)) -> String {
    let at = PANICKED_AT.lock().ok().and_then(|at| at.clone()).unwrap_or_default();
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a reason");
    format!("the load client panicked, which is a mistake in it: {said} {at}").trim_end().to_owned()
}

async fn carry_out(
    assignment: &Assignment,
    mut commands: UnboundedReceiver<Command>,
    emit: &Emit,
) -> Result<Event, String> {
    let Trial { plan, program, workload, replies, .. } = &*assignment.trial;
    let sessions = (assignment.session_first, assignment.session_count);
    let bytes_max = LOG_BYTES_MAX / plan.threads as usize;
    let log = plan.log_path.as_ref().map(|_| Log::new(replies, sessions, plan.sessions, bytes_max));
    let recorder = Recorder::new(&plan.timing, workload, Arc::clone(&assignment.blocks), log)?;
    let Some(sessions) = connect::connect_sessions(assignment, &mut commands).await? else {
        return Ok(Event::Aborted);
    };
    emit(Event::Connected);
    let lanes = sessions
        .into_iter()
        .zip(assignment.session_first..)
        .map(|(session, number)| lane::Lane::new(session, Stream::new(program, number), plan.depth));
    load::Load::new(assignment, recorder, lanes.collect(), Arc::clone(emit)).run(commands).await
}
