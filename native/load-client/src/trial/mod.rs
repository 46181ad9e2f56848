//! One trial from connecting to its result, from the coordinator's view.

mod course;
mod orders;
mod progress;
mod result;
mod workers;

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use crate::clock::{MS, NEVER, now};
use crate::engine::Trial;
use crate::error::Result;
use crate::output::{Phase, TrialEvent};
use crate::process::{CpuUs, cpu, make_room_for_sockets};
pub use course::Context;
use course::{Course, LEAD, MeasuredWindow, Window};
use progress::Progress;
use workers::Workers;

/// The time limit of closing the sessions and encoding a log of millions of operations.
const REPORT_MS_MAX: u64 = 60_000;

/// Runs one trial: connect, warm up, window, drain. The result is the protocol's, and the ledger's file is
/// written.
///
/// # Errors
/// When there can be no result: a session that cannot be connected, a target that has died, a panic.
pub fn run_load(trial: Trial, context: &Context<'_>) -> Result<Value> {
    let trial = Arc::new(trial);
    let plan = &trial.plan;
    let sessions = plan.share().session_count;
    make_room_for_sockets(sessions)?;
    let mut progress = Progress::new(context.emit);
    let mut workers = Workers::start(&trial, context)?;
    workers.connected()?;
    let open_ms = trial.connector.opened().map(|time| time as f64 / MS as f64);
    (context.emit)(TrialEvent::Ready { sessions, open_ms });

    let start = orders::await_go(&mut workers, &mut progress)?;
    let started_at = SystemTime::now();
    workers.begin(start);
    progress.enter(Phase::Warmup, workers.counts());
    let due = orders::await_window(&mut workers, &mut progress, start, context.emit)?;
    let window = measure(&mut workers, &mut progress, due)?;

    progress.enter(Phase::Drain, workers.counts());
    let reports = workers.reports(&mut progress, plan.timing.drain_ms.saturating_add(REPORT_MS_MAX))?;
    let course = Course { started_at, start, window, rss_bytes_max: progress.rss_bytes_max() };
    result::build(&trial, &course, reports)
}

fn measure(
    workers: &mut Workers<'_>,
    progress: &mut Progress<'_>,
    Window { from, length }: Window,
) -> Result<MeasuredWindow> {
    let length = if workers.is_stopped() { 0 } else { length };
    let mut until = from.saturating_add(length).min(NEVER - 1);
    workers.set_window(from, until);
    workers.wait_until(from, progress, never)?;
    progress.enter(Phase::Window, workers.counts());
    let cpu_from = cpu();
    workers.wait_until(until, progress, Workers::is_stopped)?;
    let end = now() + LEAD;
    let stopped = workers.is_stopped() && (end < until || from == until);
    if stopped {
        until = until.min(end);
        workers.set_window(from, until);
        workers.wait_until(until, progress, never)?;
    }
    let cpu_until = cpu();
    let cpu = CpuUs { user: cpu_until.user - cpu_from.user, system: cpu_until.system - cpu_from.system };
    Ok(MeasuredWindow { stopped, from, until, cpu })
}

const fn never(_: &Workers<'_>) -> bool {
    false
}
