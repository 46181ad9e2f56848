//! The input of a thread's recorder, and the recording that it returns.

use fair_bench_workload::{Log, Values};

use crate::clock::Nanos;
use crate::counts::Counts;
use crate::histogram::LatencyHistogram;

/// A sent operation, as far as counting needs it.
pub struct Sent<'a> {
    /// Its session's place in the thread.
    pub session: usize,
    /// What it was.
    pub values: &'a Values,
    /// When it was sent.
    pub sent: Nanos,
    /// The time from which it is timed: its sending or, in the open loop, when it was due.
    pub from: Nanos,
}

/// The due operations of an open loop.
#[derive(Clone, Copy)]
pub struct OfferedLoad {
    /// Operations that fell due in the window.
    pub due: u64,
    /// Operations started in the window, regardless of when they were due.
    pub started: u64,
    /// Starts due before the window's end that were never made.
    pub waiting: u64,
    /// How long the first of them had waited then.
    pub waiting_longest: Nanos,
    /// How much less each of them waited than the previous one, nanoseconds.
    pub interval: f64,
    /// The operations of each start.
    pub each: u64,
}

/// A sum with its count.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    /// The number of terms.
    pub count: u64,
    /// Their sum.
    pub sum: u128,
}

/// Completions of one second.
#[derive(Clone, Copy, Default)]
pub struct Second {
    /// Applied, declined, faults.
    pub kinds: [u64; 3],
    /// Sum of their latencies.
    pub latency: u128,
}

/// What one thread has measured.
pub struct Recording {
    /// Of the window, by operation.
    pub window: Vec<Counts>,
    /// Of everything, by operation.
    pub total: Vec<Counts>,
    /// The most operations outstanding at once.
    pub outstanding_peak: u64,
    /// Operations without a reply by the end of the drain.
    pub unanswered: u64,
    /// Of applied, declined and faults, by operation.
    pub histograms: Vec<[LatencyHistogram; 3]>,
    /// Latencies of completions within the window.
    pub window_latency: Sum,
    /// The due operations of an open loop.
    pub offered: Option<OfferedLoad>,
    /// Lower bounds of the latencies of operations that were never started.
    pub unfinished: LatencyHistogram,
    /// Replies by slots of 10 ms.
    pub reply_slots: Vec<u32>,
    /// Applied operations by slots of 100 ms.
    pub applied_slots: Vec<u32>,
    /// By seconds since the first operation.
    pub series: Vec<Second>,
    /// `None` when the plan wants none.
    pub log: Option<Log>,
}
