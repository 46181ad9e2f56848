//! Counts and clocks of one thread. Phases are distinguished by the completion's own time stamp, not by when a
//! timer fired, so that the window of every thread begins and ends at the same instant.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fair_bench_workload::{Log, Logged, Reply, Values, Workload};

use crate::clock::{MS, NEVER, Nanos, SECOND, from_ms};
use crate::counts::{Block, Counter, KindCounts, Work};
use crate::error::Result;
use crate::histogram::LatencyHistogram;
use crate::outcome::{FaultCode, Outcome, Verdict};
use crate::plan::Timing;
use crate::recording::{OfferedLoad, Recording, Second, Sent, Sum};

/// Replies are counted by slots of this length, to show whether they come in bursts.
pub const REPLY_SLOT_MS: u64 = 10;
/// Applied operations are counted by slots of this length, for the drift of throughput within the window.
pub const APPLIED_SLOT_MS: u64 = 100;
/// Slots and seconds are allocated in advance for windows up to this long.
const PREPARED_MS_MAX: u64 = 3_600_000;

/// Counters of one thread that the coordinator may read at any time.
pub struct Blocks {
    /// From the first operation.
    pub total: Block,
    /// Of the window.
    pub window: Block,
    /// The sum of the latencies from the first operation, from sending to reply, in nanoseconds.
    latency: AtomicU64,
}

impl Blocks {
    /// All zero.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        Self { total: Block::new(workload), window: Block::new(workload), latency: AtomicU64::new(0) }
    }

    /// Everything so far.
    #[must_use]
    pub fn work(&self) -> Work {
        let KindCounts { applied, declined, faults } = self.total.kinds();
        Work {
            applied,
            completed: applied + declined + faults,
            latency: self.latency.load(Ordering::Relaxed),
        }
    }

    /// Called by one thread only.
    #[inline]
    fn add_latency(&self, latency: Nanos) {
        self.latency.store(self.latency.load(Ordering::Relaxed) + latency, Ordering::Relaxed);
    }
}

/// See the module.
pub struct Recorder {
    /// When the window begins; `NEVER` until that is known.
    pub window_from: Nanos,
    /// When it ends.
    pub window_until: Nanos,
    /// Operations sent and not settled.
    pub outstanding: u64,
    start: Nanos,
    operation: Nanos,
    blocks: Arc<Blocks>,
    outstanding_peak: u64,
    unanswered: u64,
    histograms: Vec<[LatencyHistogram; 3]>,
    window_latency: Sum,
    unfinished: LatencyHistogram,
    reply_slots: Vec<u32>,
    applied_slots: Vec<u32>,
    series: Vec<Second>,
    log: Option<Log>,
}

/// The order of the histograms and of the series' columns.
const APPLIED: usize = 0;
const DECLINED: usize = 1;
const FAULT: usize = 2;

impl Recorder {
    /// Of one thread; `log` is `None` when the plan wants none.
    ///
    /// # Errors
    /// Never, with the bounds that the histograms have.
    pub fn new(timing: &Timing, workload: &Workload, blocks: Arc<Blocks>, log: Option<Log>) -> Result<Self> {
        let window_ms = timing.window_ms_max.min(PREPARED_MS_MAX);
        let trial_ms = timing.warmup_ms_max.max(timing.warmup_ms).min(PREPARED_MS_MAX) + window_ms;
        Ok(Self {
            window_from: NEVER,
            window_until: NEVER,
            outstanding: 0,
            start: 0,
            operation: from_ms(timing.operation_ms),
            blocks,
            outstanding_peak: 0,
            unanswered: 0,
            histograms: workload.operations.iter().map(|_| new_histograms()).collect::<Result<_, _>>()?,
            window_latency: Sum::default(),
            unfinished: LatencyHistogram::new()?,
            reply_slots: vec![0; window_ms.div_ceil(REPLY_SLOT_MS) as usize],
            applied_slots: vec![0; window_ms.div_ceil(APPLIED_SLOT_MS) as usize],
            series: vec![Second::default(); (trial_ms / 1000 + 1) as usize],
            log,
        })
    }

    /// The instant from which the series counts its seconds.
    pub fn begin(&mut self, start: Nanos) {
        self.start = start;
    }

    /// One more operation was drawn and is outstanding; what earlier replies have of its arguments is written into them.
    #[inline]
    pub fn sent(&mut self, session: usize, values: &mut Values) {
        if let Some(log) = &mut self.log {
            log.drawn(session, values);
        }
        self.outstanding += 1;
        self.outstanding_peak = self.outstanding_peak.max(self.outstanding);
    }

    /// Counts a reply. Returns whether it was the last one that the drain waited for.
    #[inline]
    pub fn settle(&mut self, sent: &Sent<'_>, outcome: &Outcome, now: Nanos) -> bool {
        self.outstanding -= 1;
        self.log(sent, (logged(outcome), outcome.reply.as_deref()), now);
        self.blocks.add_latency(now.saturating_sub(sent.sent));
        let kind = self.count(sent, outcome, now);
        self.clock(sent, kind, now);
        self.outstanding == 0 && now >= self.window_until
    }

    /// Counts an operation whose reply never came: a timeout, in doubt.
    pub fn give_up(&mut self, sent: &Sent<'_>, now: Nanos) {
        self.outstanding -= 1;
        self.unanswered += 1;
        self.log(sent, (Logged::InDoubt(FaultCode::Timeout as u8), None), now);
        let operation = sent.values.operation;
        self.add(operation, Counter::Fault(FaultCode::Timeout), 1, false);
        self.add(operation, Counter::InDoubt, 1, false);
        self.clock(sent, FAULT, now);
    }

    /// The measurements; `offered` are the due operations of an open loop.
    #[must_use]
    pub fn into_recording(mut self, offered: Option<OfferedLoad>) -> Recording {
        if let Some(OfferedLoad { waiting, waiting_longest, interval, each, .. }) = offered {
            self.unfinished.record_evenly(waiting_longest, interval, (waiting, each));
        }
        Recording {
            window: self.blocks.window.counts(),
            total: self.blocks.total.counts(),
            outstanding_peak: self.outstanding_peak,
            unanswered: self.unanswered,
            histograms: self.histograms,
            window_latency: self.window_latency,
            offered,
            unfinished: self.unfinished,
            reply_slots: self.reply_slots,
            applied_slots: self.applied_slots,
            series: self.series,
            log: self.log,
        }
    }

    /// Logs the outcome, whatever the counters do with it.
    #[inline]
    fn log(&mut self, sent: &Sent<'_>, logged: (Logged, Option<&Reply>), now: Nanos) {
        if let Some(log) = &mut self.log {
            let since_start = [sent.sent, now].map(|time| time.saturating_sub(self.start));
            log.settled(sent.session, sent.values, logged, since_start);
        }
    }

    #[inline]
    fn count(&mut self, sent: &Sent<'_>, outcome: &Outcome, now: Nanos) -> usize {
        let in_window = now >= self.window_from && now < self.window_until;
        let operation = sent.values.operation;
        if outcome.retries > 0 {
            self.add(operation, Counter::Retries, outcome.retries, in_window);
        }
        let late = now.saturating_sub(sent.sent) > self.operation;
        match &outcome.verdict {
            // Its outcome is nevertheless known: it is in the log, and not in doubt.
            Verdict::Applied | Verdict::Declined(_) if late => {
                self.count_fault(operation, FaultCode::Timeout, in_window)
            }
            Verdict::Applied => {
                self.add(operation, Counter::Applied, 1, in_window);
                if in_window {
                    increment(&mut self.applied_slots, (now - self.window_from) / (APPLIED_SLOT_MS * MS));
                }
                APPLIED
            }
            Verdict::Declined(reason) => {
                self.add(operation, Counter::Declined(*reason), 1, in_window);
                DECLINED
            }
            Verdict::Fault(fault) => {
                if fault.in_doubt {
                    self.add(operation, Counter::InDoubt, 1, in_window);
                }
                self.count_fault(operation, if late { FaultCode::Timeout } else { fault.code }, in_window)
            }
        }
    }

    fn count_fault(&self, operation: u32, code: FaultCode, in_window: bool) -> usize {
        self.add(operation, Counter::Fault(code), 1, in_window);
        FAULT
    }

    #[inline]
    fn clock(&mut self, sent: &Sent<'_>, kind: usize, now: Nanos) {
        let latency = now.saturating_sub(sent.from);
        let second = (now.saturating_sub(self.start) / SECOND) as usize;
        if second >= self.series.len() {
            self.series.resize(second + 1, Second::default());
        }
        let second = &mut self.series[second];
        second.kinds[kind] += 1;
        second.latency += u128::from(latency);
        if now < self.window_from {
            return;
        }
        self.histograms[sent.values.operation as usize][kind].record(latency);
        if now >= self.window_until {
            return;
        }
        self.window_latency.count += 1;
        self.window_latency.sum += u128::from(latency);
        increment(&mut self.reply_slots, (now - self.window_from) / (REPLY_SLOT_MS * MS));
    }

    #[inline]
    fn add(&self, operation: u32, counter: Counter, count: u64, in_window: bool) {
        self.blocks.total.add(operation, counter, count);
        if in_window {
            self.blocks.window.add(operation, counter, count);
        }
    }
}

#[inline]
fn logged(outcome: &Outcome) -> Logged {
    match &outcome.verdict {
        Verdict::Applied => Logged::Applied,
        Verdict::Declined(reason) => Logged::Declined(*reason),
        Verdict::Fault(fault) if fault.in_doubt => Logged::InDoubt(fault.code as u8),
        Verdict::Fault(fault) => Logged::Fault(fault.code as u8),
    }
}

fn new_histograms() -> Result<[LatencyHistogram; 3]> {
    Ok([LatencyHistogram::new()?, LatencyHistogram::new()?, LatencyHistogram::new()?])
}

#[inline]
fn increment(slots: &mut Vec<u32>, index: u64) {
    let index = index as usize;
    if index >= slots.len() {
        slots.resize(index + 1, 0);
    }
    slots[index] += 1;
}
