//! What the leader of the trial orders: when it begins, and when its window is.

use super::course::{LEAD, Window};
use super::progress::Progress;
use super::workers::Workers;
use crate::clock::{Nanos, from_ms, now, to_ms};
use crate::counts::Work;
use crate::error::{Error, Result};
use crate::output::TrialEvent;

/// The longest wait for the order of the window after the longest warm-up.
const ORDER_MS_MAX: u64 = 5000;

/// Waits for a `go`; returns just before the first operation is due, with that time.
pub(super) fn await_go(workers: &mut Workers<'_>, progress: &mut Progress<'_>) -> Result<Nanos> {
    let connect_ms = workers.timing().connect_ms;
    let deadline = now().saturating_add(from_ms(connect_ms));
    workers.wait_until(deadline, progress, |workers| workers.is_stopped() || workers.go().is_some())?;
    if workers.is_stopped() {
        return Err(Error::Stopped);
    }
    let Some(go) = workers.go() else {
        return Err(Error::NoOrder { what: "start order came", ms: connect_ms, since: "ready" });
    };
    let start = go.max(now());
    workers.wait_until(start.saturating_sub(LEAD), progress, |_| false)?;
    Ok(start)
}

/// Reports samples of the warm-up until the window is ordered, and returns it.
pub(super) fn await_window(
    workers: &mut Workers<'_>,
    progress: &mut Progress<'_>,
    start: Nanos,
    emit: &dyn Fn(TrialEvent),
) -> Result<Window> {
    let timing = workers.timing();
    let sample = (timing.sample_ms() * 1e6) as Nanos;
    let last = start.saturating_add(from_ms(timing.warmup_ms_max.saturating_add(ORDER_MS_MAX)));
    let ends = |workers: &Workers<'_>| workers.is_stopped() || workers.window().is_some();
    while now() < last && !ends(workers) {
        workers.wait_until(now().max(start) + sample, progress, ends)?;
        if !ends(workers) {
            let Work { applied, completed, latency } = workers.work();
            let elapsed_ms = to_ms(now().saturating_sub(start));
            emit(TrialEvent::Sample { elapsed_ms, applied, completed, latency_ms: to_ms(latency) });
        }
    }
    let soonest = now() + LEAD;
    if workers.is_stopped() {
        return Ok(Window { from: soonest, length: 0 });
    }
    let Window { from, length } = workers.window().ok_or(Error::NoOrder {
        what: "window was ordered",
        ms: ORDER_MS_MAX,
        since: "the longest warm-up",
    })?;
    Ok(Window { from: from.max(soonest), length })
}
