//! Who decides when the trial and its window begin: this client, or the leader of several.

use super::progress::Progress;
use super::workers::Workers;
use super::{LEAD, steady_state};
use crate::clock::{Nanos, from_ms, now, to_ms};
use crate::output::TrialEvent;

/// The longest wait for the order of the window after the longest warm-up.
const ORDER_MS_MAX: u64 = 5000;

/// At least `warmupMs`, longer while throughput is not steady, at most `warmupMsMax`; returns whether it became
/// steady.
pub(super) fn warm_up(workers: &mut Workers<'_>, progress: &mut Progress<'_>) -> Result<bool, String> {
    let timing = workers.timing();
    let slice = (steady_state::slice_ms(timing.warmup_ms) * 1e6) as Nanos;
    let start = now();
    let least = start.saturating_add(from_ms(timing.warmup_ms));
    let last = start.saturating_add(from_ms(timing.warmup_ms.max(timing.warmup_ms_max)));
    let mut throughputs = Vec::with_capacity(steady_state::SLICES + 1);
    let mut slice_start = start;
    let mut slice_start_count = 0;
    while slice_start < last && !workers.is_stopped() {
        workers.wait_until((slice_start + slice).min(last), progress, Workers::is_stopped)?;
        let time = now();
        let applied = workers.counts().applied;
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

/// Waits for a `go`; returns just before the first operation is due, with that time.
pub(super) fn await_go(workers: &mut Workers<'_>, progress: &mut Progress<'_>) -> Result<Nanos, String> {
    let connect_ms = workers.timing().connect_ms;
    let deadline = now().saturating_add(from_ms(connect_ms));
    workers.wait_until(deadline, progress, |workers| workers.is_stopped() || workers.go().is_some())?;
    if workers.is_stopped() {
        return Err("stopped before the first operation".to_owned());
    }
    let Some(go) = workers.go() else {
        return Err(format!("no start order came within {connect_ms} ms of ready"));
    };
    let start = go.max(now());
    workers.wait_until(start.saturating_sub(LEAD), progress, |_| false)?;
    Ok(start)
}

/// Reports what each slice of the warm-up applied, until the window is ordered; returns when it begins, and whether
/// throughput is steady.
pub(super) fn warm_up_as_ordered(
    workers: &mut Workers<'_>,
    progress: &mut Progress<'_>,
    start: Nanos,
    emit: &dyn Fn(TrialEvent),
) -> Result<(Nanos, bool), String> {
    let timing = workers.timing();
    let slice_length = (steady_state::slice_ms(timing.warmup_ms) * 1e6) as Nanos;
    let last = start.saturating_add(from_ms(timing.warmup_ms.max(timing.warmup_ms_max)));
    let ends = |workers: &mut Workers<'_>| workers.is_stopped() || workers.window().is_some();
    let ends_of_slices = (1..).map(|slice| (slice, start.saturating_add(slice * slice_length)));
    for (slice, end) in ends_of_slices.take_while(|(_, end)| *end <= last) {
        workers.wait_until(end, progress, ends)?;
        if ends(workers) {
            break;
        }
        emit(TrialEvent::Slice { slice, applied: workers.counts().applied });
    }
    workers.wait_until(last.saturating_add(from_ms(ORDER_MS_MAX)), progress, ends)?;
    let soonest = now() + LEAD;
    if workers.is_stopped() {
        return Ok((soonest, false));
    }
    let (at, steady) = workers
        .window()
        .ok_or_else(|| format!("no window was ordered within {ORDER_MS_MAX} ms of the warm-up"))?;
    Ok((at.max(soonest), steady))
}
