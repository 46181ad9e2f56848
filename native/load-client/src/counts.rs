//! Counters of outcomes. One thread writes a block while the coordinator reads it.

use std::sync::atomic::{AtomicU64, Ordering};

use fair_bench_workload::Workload;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::Nanos;
use crate::outcome::FaultCode;

/// Before the faults by code; the operation's declines by reason follow them.
const APPLIED: usize = 0;
const RETRIES: usize = 1;
const IN_DOUBT: usize = 2;
const FAULTS_FIRST: usize = 3;
const DECLINED_FIRST: usize = FAULTS_FIRST + FaultCode::ALL.len();

/// The counters of an operation.
#[derive(Clone, Copy)]
pub enum Counter {
    /// Applied in time.
    Applied,
    /// Attempts beyond the first.
    Retries,
    /// Faults after which the operation may have been applied.
    InDoubt,
    /// By the reason's number.
    Declined(u16),
    /// By code.
    Fault(FaultCode),
}

impl Counter {
    #[inline]
    const fn place(self) -> usize {
        match self {
            Self::Applied => APPLIED,
            Self::Retries => RETRIES,
            Self::InDoubt => IN_DOUBT,
            Self::Fault(code) => FAULTS_FIRST + code as usize,
            Self::Declined(reason) => DECLINED_FIRST + reason as usize,
        }
    }
}

/// Counters by operation that one thread writes.
pub struct Block {
    cells: Box<[AtomicU64]>,
    /// Where the counters of each operation begin, and where the last ones end.
    begins: Box<[usize]>,
}

impl Block {
    /// All zero.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let mut end = 0;
        let mut begins = vec![0];
        for operation in &workload.operations {
            end += DECLINED_FIRST + operation.reasons.len();
            begins.push(end);
        }
        let cells = std::iter::repeat_with(AtomicU64::default).take(end).collect();
        Self { cells, begins: begins.into_boxed_slice() }
    }

    /// Adds; called by one thread only, so it needs no locked instruction.
    #[inline]
    pub fn add(&self, operation: u32, counter: Counter, count: u64) {
        let cell = &self.cells[self.begins[operation as usize] + counter.place()];
        cell.store(cell.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// The counters of each operation as they stand.
    #[must_use]
    pub fn counts(&self) -> Vec<Counts> {
        let ranges = self.begins.windows(2).map(|ends| ends[0]..ends[1]);
        let counts = ranges.map(|range| self.cells[range].iter());
        counts.map(|cells| Counts(cells.map(|cell| cell.load(Ordering::Relaxed)).collect())).collect()
    }

    /// Sums over all operations, by kind of outcome.
    #[must_use]
    pub fn kinds(&self) -> KindCounts {
        self.counts().iter().fold(KindCounts::default(), |mut sum, counts| {
            sum.merge(counts.kinds());
            sum
        })
    }
}

/// A snapshot of an operation's counters, or their sum over threads.
#[derive(Clone)]
pub struct Counts(Box<[u64]>);

/// Sums by kind of outcome.
#[derive(Clone, Copy, Default, Serialize)]
pub struct KindCounts {
    /// Applied in time.
    pub applied: u64,
    /// All reasons.
    pub declined: u64,
    /// All codes.
    pub faults: u64,
}

/// What a warm-up is judged by.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Applied in time.
    pub applied: u64,
    /// Of any outcome.
    pub completed: u64,
    /// The sum of their latencies, from sending to reply.
    pub latency: Nanos,
}

impl Work {
    /// Adds others.
    pub const fn merge(&mut self, other: Self) {
        self.applied += other.applied;
        self.completed += other.completed;
        self.latency += other.latency;
    }
}

impl KindCounts {
    /// Adds others.
    pub const fn merge(&mut self, other: Self) {
        self.applied += other.applied;
        self.declined += other.declined;
        self.faults += other.faults;
    }
}

impl Counts {
    /// Adds the counters of the same operation in another thread.
    pub fn merge(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(&other.0) {
            *sum += count;
        }
    }

    /// Sums by kind of outcome.
    #[must_use]
    pub fn kinds(&self) -> KindCounts {
        KindCounts {
            applied: self.0[APPLIED],
            declined: self.0[DECLINED_FIRST..].iter().sum(),
            faults: self.0[FAULTS_FIRST..DECLINED_FIRST].iter().sum(),
        }
    }
}

/// The counts of all operations in the form of a trial result, without reasons and codes that are zero.
#[must_use]
pub fn to_json(workload: &Workload, counts: &[Counts]) -> Value {
    let sum = |place: usize| counts.iter().map(|counts| counts.0[place]).sum::<u64>();
    let mut declined = Map::new();
    for (operation, counts) in workload.operations.iter().zip(counts) {
        for (reason, count) in operation.reasons.iter().zip(&counts.0[DECLINED_FIRST..]) {
            if *count > 0 {
                let before = declined.get(reason).and_then(Value::as_u64).unwrap_or(0);
                declined.insert(reason.clone(), json!(before + count));
            }
        }
    }
    let faults = FaultCode::ALL.map(|code| (code.name(), sum(FAULTS_FIRST + code as usize)));
    let faults = faults.into_iter().filter(|(_, count)| *count > 0);
    json!({
        "applied": sum(APPLIED),
        "declined": declined,
        "faults": faults.map(|(name, count)| (name.to_owned(), json!(count))).collect::<Map<_, _>>(),
        "retries": sum(RETRIES),
        "inDoubt": sum(IN_DOUBT),
    })
}
