//! One trial result of all threads' reports.

use fair_bench_workload_transfer::{Ledger, Transfer};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Course, steady_state};
use crate::clock::to_ms;
use crate::counts::to_json;
use crate::engine::{Report, Trial};
use crate::plan::{LoopKind, PROTOCOL_VERSION};
use crate::recorder::{APPLIED_SLOT_MS, REPLY_SLOT_MS, Recording, Second, Sum, merged};

pub(super) fn build(trial: &Trial, course: &Course, reports: Vec<Report>) -> Result<Value, String> {
    let Trial { plan, workload, .. } = trial;
    let window = &course.window;
    let window_ms = to_ms(window.until - window.from);
    let ended = reports.iter().map(|report| report.ended).max().unwrap_or(window.until);
    let Some(all) = merge(reports)? else { return Err("there was no load thread".to_owned()) };
    let ledger = match (&plan.ledger_path, &all.ledger) {
        (Some(path), Some(ledger)) => write_ledger(path, ledger)?,
        _ => Value::Null,
    };
    let lateness = match plan.loop_kind {
        LoopKind::Open { .. } => json!({ "mean": mean_of(all.lateness), "max": all.lateness.max_ms }),
        LoopKind::Closed => Value::Null,
    };
    let [applied, declined, faults] = &all.histograms;
    Ok(json!({
        "protocol": PROTOCOL_VERSION,
        "trialId": plan.trial_id,
        "client": {
            "name": "native",
            "version": env!("CARGO_PKG_VERSION"),
            "runtime": env!("FAIR_BENCH_RUSTC_VERSION"),
            "pid": std::process::id(),
        },
        "ending": if window.stopped { "stopped" } else { "complete" },
        "timing": {
            "startedAt": humantime::format_rfc3339_millis(course.started_at).to_string(),
            "warmupMs": to_ms(window.from - course.start),
            "windowMs": window_ms,
            "drainMs": to_ms(ended.saturating_sub(window.until)),
        },
        "steadyState": {
            "reached": course.steady,
            "windowDrift": window_drift(&all.applied_slots, window_ms),
        },
        "window": to_json(workload, &all.window),
        "total": to_json(workload, &all.total),
        "outstandingPeak": all.outstanding_peak,
        "unanswered": all.unanswered,
        "latency": {
            "applied": applied.to_json()?,
            "declined": declined.to_json()?,
            "faults": faults.to_json()?,
        },
        "latencyMsMeanWindow": mean_of(all.window_latency),
        "latenessMs": lateness,
        "replySlots": reply_slots(&all.reply_slots, window_ms),
        "series": series(&all.series, to_ms(ended.saturating_sub(course.start))),
        "effort": {
            "cpuUserUs": window.cpu.user,
            "cpuSystemUs": window.cpu.system,
            "loopUtilization": null,
            "rssBytesMax": course.rss_bytes_max,
        },
        "ledger": ledger,
    }))
}

/// Writes the file, whole, and describes it as a trial result does.
fn write_ledger(path: &str, ledger: &Ledger) -> Result<Value, String> {
    let bytes = ledger.encode();
    std::fs::write(path, &bytes)
        .map_err(|error| format!("the ledger cannot be written to {path}: {error}"))?;
    let in_doubt = ledger.in_doubt().iter().map(|transfer| {
        let Transfer { source, target, amount } = transfer;
        json!({ "source": source, "target": target, "amount": amount.to_string() })
    });
    let sha256 = Sha256::digest(&bytes);
    Ok(json!({
        "path": path,
        "bytes": bytes.len(),
        "sha256": sha256.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "inDoubt": in_doubt.collect::<Vec<_>>(),
    }))
}

fn merge(reports: Vec<Report>) -> Result<Option<Recording>, String> {
    let mut recordings = reports.into_iter().map(|report| report.recording);
    let Some(mut all) = recordings.next() else { return Ok(None) };
    for one in recordings {
        for (sum, counts) in all.window.iter_mut().zip(&one.window) {
            sum.merge(counts);
        }
        for (sum, counts) in all.total.iter_mut().zip(&one.total) {
            sum.merge(counts);
        }
        all.outstanding_peak += one.outstanding_peak;
        all.unanswered += one.unanswered;
        for (sum, histogram) in all.histograms.iter_mut().zip(&one.histograms) {
            sum.merge(histogram)?;
        }
        all.window_latency = merged(all.window_latency, one.window_latency);
        all.lateness = merged(all.lateness, one.lateness);
        add_slots(&mut all.reply_slots, &one.reply_slots);
        add_slots(&mut all.applied_slots, &one.applied_slots);
        add_seconds(&mut all.series, &one.series);
        if let (Some(sum), Some(ledger)) = (&mut all.ledger, &one.ledger) {
            sum.merge(ledger).map_err(|error| error.to_string())?;
        }
    }
    Ok(Some(all))
}

fn mean_of(sum: Sum) -> f64 {
    if sum.count == 0.0 { 0.0 } else { sum.sum_ms / sum.count }
}

/// Slots that the window fills; a last one that it does not would look like a fall.
fn whole(slots: &[u32], window_ms: f64, slot_ms: u64) -> Vec<u32> {
    let count = (window_ms / slot_ms as f64).floor() as usize;
    let mut whole: Vec<u32> = slots.iter().copied().take(count).collect();
    whole.resize(count, 0);
    whole
}

fn window_drift(slots: &[u32], window_ms: f64) -> f64 {
    let applied: Vec<f64> = whole(slots, window_ms, APPLIED_SLOT_MS).into_iter().map(f64::from).collect();
    steady_state::drift_of(&applied)
}

fn reply_slots(slots: &[u32], window_ms: f64) -> Value {
    let replies = whole(slots, window_ms, REPLY_SLOT_MS);
    json!({
        "slotMs": REPLY_SLOT_MS,
        "slots": replies.len(),
        "empty": replies.iter().filter(|count| **count == 0).count(),
        "max": replies.iter().max().unwrap_or(&0),
    })
}

/// Up to and with the second in which the trial ended.
fn series(seconds: &[Second], length_ms: f64) -> Vec<Value> {
    let count = (length_ms / 1000.0).floor() as usize + 1;
    let point = |second: usize| {
        let Second { kinds: [applied, declined, faults], latency } =
            seconds.get(second).copied().unwrap_or_default();
        let completions = applied + declined + faults;
        let mean = (completions > 0).then(|| latency as f64 / 1e6 / completions as f64);
        json!({
            "second": second,
            "applied": applied,
            "declined": declined,
            "faults": faults,
            "latencyMsMean": mean,
        })
    };
    (0..count).map(point).collect()
}

fn add_slots(sum: &mut Vec<u32>, slots: &[u32]) {
    sum.resize(sum.len().max(slots.len()), 0);
    for (sum, count) in sum.iter_mut().zip(slots) {
        *sum += count;
    }
}

fn add_seconds(sum: &mut Vec<Second>, seconds: &[Second]) {
    sum.resize(sum.len().max(seconds.len()), Second::default());
    for (sum, second) in sum.iter_mut().zip(seconds) {
        for (count, more) in sum.kinds.iter_mut().zip(second.kinds) {
            *count += more;
        }
        sum.latency += second.latency;
    }
}
