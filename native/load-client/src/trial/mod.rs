//! One trial from connecting to its result, as its coordinator sees it.

mod crew;
mod progress;
mod result;
mod steady_state;

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::SystemTime;

use serde_json::Value;

use crate::clock::{NEVER, Nanos, from_ms, now, to_ms};
use crate::engine::Trial;
use crate::output::{Phase, TrialEvent};
use crate::process::{CpuUs, cpu, make_room_for_sockets};
use crew::Crew;
use progress::Progress;

/// How far ahead a time must lie for all threads to hear of it before it comes.
const LEAD: Nanos = from_ms(50);
/// Closing the sessions and encoding a ledger of millions of accounts take this long at most.
const REPORT_MS_MAX: u64 = 60_000;

/// What a trial needs of the process that it runs in.
pub struct Context<'a> {
    /// Called with each event as it happens.
    pub emit: &'a dyn Fn(TrialEvent),
    /// Ends the window early.
    pub stop: &'a Receiver<()>,
}

/// The course of a trial; times of the clock.
pub(crate) struct Course {
    started_at: SystemTime,
    start: Nanos,
    steady: bool,
    window: MeasuredWindow,
    rss_bytes_max: u64,
}

/// The window's true bounds and what was used within them.
struct MeasuredWindow {
    stopped: bool,
    from: Nanos,
    until: Nanos,
    cpu: CpuUs,
}

/// Runs one trial: connect, warm up, window, drain. The result is the protocol's, and the ledger's file is
/// written.
///
/// # Errors
/// When there can be no result: a session that cannot be connected, a target that has died, a panic.
pub fn run_trial(trial: Trial, context: &Context<'_>) -> Result<Value, String> {
    let trial = Arc::new(trial);
    let plan = &trial.plan;
    make_room_for_sockets(plan.sessions)?;
    let mut progress = Progress::new(context.emit);
    let mut crew = Crew::start(&trial, context.stop)?;
    crew.connected()?;
    (context.emit)(TrialEvent::Ready(plan.sessions));

    let started_at = SystemTime::now();
    let start = crew.begin();
    progress.enter(Phase::Warmup, &crew);
    let steady = warm_up(&mut crew, &mut progress)?;

    let window = measure(&mut crew, &mut progress)?;

    progress.enter(Phase::Drain, &crew);
    let reports = crew.reports(&mut progress, plan.timing.drain_ms.saturating_add(REPORT_MS_MAX))?;
    let course = Course { started_at, start, steady, window, rss_bytes_max: progress.rss_bytes_max() };
    result::build(&trial, &course, reports)
}

/// At least `warmupMs`, longer while throughput is not steady, at most `warmupMsMax`; says whether it became
/// steady.
fn warm_up(crew: &mut Crew<'_>, progress: &mut Progress<'_>) -> Result<bool, String> {
    let timing = crew.timing();
    let slice = (steady_state::slice_ms(timing.warmup_ms) * 1e6) as Nanos;
    let start = now();
    let least = start.saturating_add(from_ms(timing.warmup_ms));
    let last = start.saturating_add(from_ms(timing.warmup_ms.max(timing.warmup_ms_max)));
    let mut throughputs = Vec::with_capacity(steady_state::SLICES + 1);
    let mut slice_start = start;
    let mut slice_start_count = 0;
    while slice_start < last && !crew.is_stopped() {
        crew.wait_until((slice_start + slice).min(last), progress, true)?;
        let time = now();
        let applied = crew.counts().applied;
        throughputs.push((applied - slice_start_count) as f64 / to_ms(time - slice_start));
        if throughputs.len() > steady_state::SLICES {
            throughputs.remove(0);
        }
        (slice_start, slice_start_count) = (time, applied);
        if time >= least && steady_state::is_steady(&throughputs) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn measure(crew: &mut Crew<'_>, progress: &mut Progress<'_>) -> Result<MeasuredWindow, String> {
    let from = now() + LEAD;
    let planned = if crew.is_stopped() { 0 } else { from_ms(crew.timing().window_ms) };
    let mut until = from.saturating_add(planned).min(NEVER - 1);
    crew.set_window(from, until);
    crew.wait_until(from, progress, false)?;
    progress.enter(Phase::Window, crew);
    let cpu_from = cpu();
    crew.wait_until(until, progress, true)?;
    let end = now() + LEAD;
    let stopped = crew.is_stopped() && (end < until || from == until);
    if stopped {
        until = until.min(end);
        crew.set_window(from, until);
        crew.wait_until(until, progress, false)?;
    }
    let cpu_until = cpu();
    let cpu = CpuUs { user: cpu_until.user - cpu_from.user, system: cpu_until.system - cpu_from.system };
    Ok(MeasuredWindow { stopped, from, until, cpu })
}
