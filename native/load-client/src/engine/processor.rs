//! The share of the window in which a load thread was on a processor.

use crate::clock::{Nanos, now};
use crate::process::thread_cpu;

/// CPU time of this thread at the window's beginning and end.
#[derive(Default)]
pub(super) struct ProcessorTime {
    from: Option<Moment>,
    until: Option<Moment>,
}

struct Moment {
    time: Nanos,
    cpu: Nanos,
}

impl Moment {
    fn now() -> Self {
        Self { time: now(), cpu: thread_cpu() }
    }
}

impl ProcessorTime {
    /// Reads the clocks at the window's edges, once they are reached.
    pub(super) fn note(&mut self, time: Nanos, window_from: Nanos, window_until: Nanos) {
        if time >= window_from {
            self.from.get_or_insert_with(Moment::now);
        }
        if time >= window_until {
            self.until.get_or_insert_with(Moment::now);
        }
    }

    pub(super) const fn has_begun(&self) -> bool {
        self.from.is_some()
    }

    /// 0 to 1.
    pub(super) fn utilization(&self) -> f64 {
        let (Some(from), Some(until)) = (&self.from, &self.until) else { return 0.0 };
        let window = until.time.saturating_sub(from.time);
        if window == 0 {
            return 0.0;
        }
        (until.cpu.saturating_sub(from.cpu) as f64 / window as f64).min(1.0)
    }
}

#[cfg(test)]
#[path = "tests/processor.rs"]
mod tests;
