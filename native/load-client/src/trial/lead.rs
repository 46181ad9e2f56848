//! Who decides when the trial and its window begin: this client, or the leader of several.

use super::course::LEAD;
use super::progress::Progress;
use super::warm_up::{WarmUp, WarmedUp};
use super::workers::Workers;
use crate::clock::{Nanos, from_ms, now, to_ms};
use crate::counts::Work;
use crate::error::{Error, Result};
use crate::output::TrialEvent;

/// The longest wait for the order of the window after the longest warm-up.
const ORDER_MS_MAX: u64 = 5000;

/// The client decides by itself when the warm-up is over and how long the window lasts.
pub(super) fn warm_up(workers: &mut Workers<'_>, progress: &mut Progress<'_>) -> Result<WarmedUp> {
    let timing = workers.timing();
    let mut warming_up = WarmUp::new(workers.plan());
    let sample = (warming_up.sample_ms() * 1e6) as Nanos;
    let start = now();
    let last = start.saturating_add(from_ms(timing.warmup_ms.max(timing.warmup_ms_max)));
    let mut time = start;
    while time < last && !workers.is_stopped() {
        workers.wait_until((time + sample).min(last), progress, Workers::is_stopped)?;
        time = now();
        if let Some(decided) = warming_up.decide(to_ms(time - start), workers.work()) {
            return Ok(decided);
        }
    }
    Ok(WarmedUp { steady: false, window_ms: timing.window_ms })
}

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

/// Reports the work after each slice of the warm-up, until the window is ordered; returns when it begins, and how the
/// warm-up ended.
pub(super) fn warm_up_as_ordered(
    workers: &mut Workers<'_>,
    progress: &mut Progress<'_>,
    start: Nanos,
    emit: &dyn Fn(TrialEvent),
) -> Result<(Nanos, WarmedUp)> {
    let timing = workers.timing();
    let slice_length = (WarmUp::new(workers.plan()).sample_ms() * 1e6) as Nanos;
    let last = start.saturating_add(from_ms(timing.warmup_ms.max(timing.warmup_ms_max)));
    let ends = |workers: &Workers<'_>| workers.is_stopped() || workers.window().is_some();
    let ends_of_slices = (1..).map(|slice| (slice, start.saturating_add(slice * slice_length)));
    for (slice, end) in ends_of_slices.take_while(|(_, end)| *end <= last) {
        workers.wait_until(end, progress, ends)?;
        if ends(workers) {
            break;
        }
        let Work { applied, completed, latency } = workers.work();
        emit(TrialEvent::Slice { slice, applied, completed, latency_ms: to_ms(latency) });
    }
    workers.wait_until(last.saturating_add(from_ms(ORDER_MS_MAX)), progress, ends)?;
    let soonest = now() + LEAD;
    if workers.is_stopped() {
        return Ok((soonest, WarmedUp { steady: false, window_ms: timing.window_ms }));
    }
    let (at, decided) = workers.window().ok_or(Error::NoOrder {
        what: "window was ordered",
        ms: ORDER_MS_MAX,
        since: "the warm-up",
    })?;
    Ok((at.max(soonest), decided))
}
