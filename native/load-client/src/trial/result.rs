//! One trial result from all threads' reports.

use std::fs::File;
use std::io::Write as _;

use fair_bench_workload::{Log, Workload, log_file_head};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::course::Course;
use crate::clock::{to_machine_us, to_ms};
use crate::counts::to_json;
use crate::engine::{Report, Trial};
use crate::error::{Error, Result};
use crate::histogram::LatencyHistogram;
use crate::plan::PROTOCOL_VERSION;
use crate::recorder::{APPLIED_SLOT_MS, REPLY_SLOT_MS};
use crate::recording::{OfferedLoad, Recording, Second, Sum};

pub(super) fn build(trial: &Trial, course: &Course, reports: Vec<Report>) -> Result<Value> {
    let Trial { plan, workload, .. } = trial;
    let window = &course.window;
    let window_ms = to_ms(window.until - window.from);
    let ended = reports.iter().map(|report| report.ended).max().unwrap_or(window.until);
    let utilization = reports.iter().map(|report| report.utilization).fold(0.0, f64::max);
    let Some((all, logs)) = merge(reports)? else {
        return Err(Error::Thread("there was no load thread".to_owned()));
    };
    let applied_slots = whole(&all.applied_slots, window_ms, APPLIED_SLOT_MS);
    let log = plan.log_path.as_ref().map(|path| write_log(path, &logs)).transpose()?;
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
            "startUs": to_machine_us(course.start),
            "warmupMs": to_ms(window.from - course.start),
            "windowMs": window_ms,
            "drainMs": to_ms(ended.saturating_sub(window.until)),
        },
        "window": to_json(workload, &all.window),
        "total": to_json(workload, &all.total),
        "outstandingPeak": all.outstanding_peak,
        "unanswered": all.unanswered,
        "latency": latency(&all.histograms)?,
        "operations": operations(workload, &all)?,
        "latencyMsMeanWindow": mean_ms(all.window_latency),
        "openLoop": all.offered.map(|offered| open_loop(&offered, &all.unfinished)).transpose()?,
        "replySlots": reply_slots(&all.reply_slots, window_ms),
        "appliedSlots": applied_slots,
        "series": series(&all.series, to_ms(ended.saturating_sub(course.start))),
        "effort": {
            "cpuUserUs": window.cpu.user,
            "cpuSystemUs": window.cpu.system,
            "loopUtilization": utilization,
            "rssBytesMax": course.rss_bytes_max,
        },
        "log": log,
    }))
}

/// Of each operation its counts and latencies.
fn operations(workload: &Workload, all: &Recording) -> Result<Vec<Value>> {
    let each = workload.operations.iter().zip(&all.histograms).enumerate();
    let operations = each.map(|(number, (operation, histograms))| {
        Ok(json!({
            "name": operation.name,
            "writes": operation.writes,
            "window": all.window[number].kinds(),
            "total": all.total[number].kinds(),
            "latency": latency(std::slice::from_ref(histograms))?,
        }))
    });
    operations.collect()
}

/// Latencies by outcome, of several operations together.
fn latency(operations: &[[LatencyHistogram; 3]]) -> Result<Value> {
    let of = |kind: usize| {
        let mut sum = LatencyHistogram::new()?;
        for histograms in operations {
            sum.merge(&histograms[kind])?;
        }
        sum.to_json()
    };
    Ok(json!({ "applied": of(0)?, "declined": of(1)?, "faults": of(2)? }))
}

/// Writes the whole file, and describes it as in a trial result.
fn write_log(path: &str, logs: &[Log]) -> Result<Value> {
    let failed = |source| Error::Log { path: path.to_owned(), source };
    let mut file = File::create(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut bytes = 0;
    let sections = logs.iter().map(Log::encode);
    for part in std::iter::once(log_file_head().to_vec()).chain(sections) {
        file.write_all(&part).map_err(failed)?;
        hash.update(&part);
        bytes += part.len();
    }
    let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(json!({ "path": path, "bytes": bytes, "sha256": sha256 }))
}

/// One recording of all threads, and their logs.
fn merge(reports: Vec<Report>) -> Result<Option<(Recording, Vec<Log>)>> {
    let mut recordings = reports.into_iter().map(|report| report.recording);
    let Some(mut all) = recordings.next() else { return Ok(None) };
    let mut logs = Vec::from_iter(all.log.take());
    for one in recordings {
        let counts = all.window.iter_mut().zip(&one.window).chain(all.total.iter_mut().zip(&one.total));
        for (sum, counts) in counts {
            sum.merge(counts);
        }
        all.outstanding_peak += one.outstanding_peak;
        all.unanswered += one.unanswered;
        let histograms = all.histograms.iter_mut().flatten().zip(one.histograms.iter().flatten());
        for (sum, histogram) in histograms {
            sum.merge(histogram)?;
        }
        all.window_latency.count += one.window_latency.count;
        all.window_latency.sum += one.window_latency.sum;
        all.unfinished.merge(&one.unfinished)?;
        all.offered = all.offered.zip(one.offered).map(|(sum, more)| OfferedLoad {
            due: sum.due + more.due,
            started: sum.started + more.started,
            waiting: sum.waiting + more.waiting,
            ..sum
        });
        add_slots(&mut all.reply_slots, &one.reply_slots);
        add_slots(&mut all.applied_slots, &one.applied_slots);
        add_seconds(&mut all.series, &one.series);
        logs.extend(one.log);
    }
    Ok(Some((all, logs)))
}

fn mean_ms(sum: Sum) -> f64 {
    if sum.count == 0 { 0.0 } else { sum.sum as f64 / sum.count as f64 / 1e6 }
}

fn open_loop(offered: &OfferedLoad, unfinished: &LatencyHistogram) -> Result<Value> {
    Ok(json!({
        "due": offered.due,
        "started": offered.started,
        "neverStarted": offered.waiting * offered.each,
        "unfinished": unfinished.to_json()?,
    }))
}

/// Slots that the window fills completely; a partial last one would look like a drop.
fn whole(slots: &[u32], window_ms: f64, slot_ms: u64) -> Vec<u32> {
    let count = (window_ms / slot_ms as f64).floor() as usize;
    let mut whole: Vec<u32> = slots.iter().copied().take(count).collect();
    whole.resize(count, 0);
    whole
}

fn reply_slots(slots: &[u32], window_ms: f64) -> Value {
    let replies = whole(slots, window_ms, REPLY_SLOT_MS);
    json!({
        "slotMs": REPLY_SLOT_MS,
        "slots": replies.len(),
        "empty": replies.iter().filter(|count| **count == 0).count(),
        "max": replies.iter().max().unwrap_or(&0),
        "counts": replies,
    })
}

/// Including the second in which the trial ended.
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
