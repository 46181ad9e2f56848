//! Counters of outcomes. A block is written by one thread and read by the coordinator while it is.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

use crate::outcome::{DeclineReason, FaultCode};

const DECLINED_FIRST: usize = 3;
const FAULTS_FIRST: usize = DECLINED_FIRST + DeclineReason::ALL.len();
const COUNTERS: usize = FAULTS_FIRST + FaultCode::ALL.len();

/// What can be counted.
#[derive(Clone, Copy)]
pub enum Counter {
    /// Applied in time.
    Applied,
    /// Attempts beyond the first.
    Retries,
    /// Faults after which the operation may have been applied.
    InDoubt,
    /// By reason.
    Declined(DeclineReason),
    /// By code.
    Fault(FaultCode),
}

impl Counter {
    const fn index(self) -> usize {
        match self {
            Self::Applied => 0,
            Self::Retries => 1,
            Self::InDoubt => 2,
            Self::Declined(reason) => DECLINED_FIRST + reason as usize,
            Self::Fault(code) => FAULTS_FIRST + code as usize,
        }
    }
}

/// Counters that one thread writes.
#[derive(Default)]
pub struct Block([AtomicU64; COUNTERS]);

impl Block {
    /// Adds; to be called by one thread alone, so that it costs no locked instruction.
    #[inline]
    pub fn add(&self, counter: Counter, count: u64) {
        let cell = &self.0[counter.index()];
        cell.store(cell.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// The counters as they stand.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts(std::array::from_fn(|index| self.0[index].load(Ordering::Relaxed)))
    }
}

/// Counters as they stood, or their sum over threads.
#[derive(Clone, Default)]
pub struct Counts([u64; COUNTERS]);

/// Sums by kind of outcome.
#[derive(Clone, Copy, Default)]
pub struct KindCounts {
    /// Applied in time.
    pub applied: u64,
    /// All reasons.
    pub declined: u64,
    /// All codes.
    pub faults: u64,
}

impl Counts {
    /// Adds the counters of another thread.
    pub fn merge(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }

    /// One counter.
    #[must_use]
    pub const fn get(&self, counter: Counter) -> u64 {
        self.0[counter.index()]
    }

    /// Sums by kind of outcome.
    #[must_use]
    pub fn kinds(&self) -> KindCounts {
        KindCounts {
            applied: self.get(Counter::Applied),
            declined: self.0[DECLINED_FIRST..FAULTS_FIRST].iter().sum(),
            faults: self.0[FAULTS_FIRST..].iter().sum(),
        }
    }

    /// As they stand in a trial result; reasons and codes that are zero are left out.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let declined = DeclineReason::ALL.map(|reason| (reason.name(), self.get(Counter::Declined(reason))));
        let faults = FaultCode::ALL.map(|code| (code.name(), self.get(Counter::Fault(code))));
        json!({
            "applied": self.get(Counter::Applied),
            "declined": without_zeros(&declined),
            "faults": without_zeros(&faults),
            "retries": self.get(Counter::Retries),
            "inDoubt": self.get(Counter::InDoubt),
        })
    }
}

fn without_zeros(counts: &[(&str, u64)]) -> Map<String, Value> {
    let some = counts.iter().filter(|(_, count)| *count > 0);
    some.map(|(name, count)| ((*name).to_owned(), json!(count))).collect()
}
