//! When a warm-up is over and how long its window lasts, by the mean latency that the warm-up shows. The twin of
//! `packages/load-client/src/warm-up.ts`.

use super::steady_state::{SLICES, is_steady};
use crate::clock::to_ms;
use crate::counts::Work;
use crate::plan::{LoopKind, Timing, TrialPlan};

/// A window lasts at least this many mean latencies: then its edges blur throughput by little.
const WINDOW_LATENCIES: f64 = 10.0;
/// A warm-up that does not become steady ends after twice its minimum, or after this many slices.
const SLICES_MAX: f64 = 12.0;

/// How a warm-up ended, and how long the window after it is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WarmedUp {
    pub(super) steady: bool,
    pub(super) window_ms: u64,
}

struct Sample {
    elapsed_ms: f64,
    work: Work,
}

/// The mean latency in the second half of the warm-up so far, and the same by Little's law where that is more.
struct Latency {
    mean_ms: f64,
    longest_ms: f64,
}

pub(super) struct WarmUp {
    timing: Timing,
    /// Operations outstanding in a closed loop; `None` in an open one.
    outstanding: Option<f64>,
    samples: Vec<Sample>,
}

impl WarmUp {
    pub(super) fn new(plan: &TrialPlan) -> Self {
        let outstanding = match plan.loop_kind {
            LoopKind::Closed => Some(f64::from(plan.sessions) * f64::from(plan.depth)),
            LoopKind::Open { .. } => None,
        };
        let samples = vec![Sample { elapsed_ms: 0.0, work: Work::default() }];
        Self { timing: plan.timing, outstanding, samples }
    }

    /// How often it wants a sample: a tenth of the minimal warm-up.
    pub(super) fn sample_ms(&self) -> f64 {
        (self.timing.warmup_ms as f64 / 10.0).clamp(10.0, 1000.0)
    }

    /// `None` while the warm-up goes on.
    pub(super) fn decide(&mut self, elapsed_ms: f64, work: Work) -> Option<WarmedUp> {
        self.samples.push(Sample { elapsed_ms, work });
        let Timing { warmup_ms, warmup_ms_max, window_ms, window_ms_max, operation_ms, .. } = self.timing;
        // A server that answers nothing shows no latency, and gets no longer window for it.
        if elapsed_ms - self.answered_ms() >= operation_ms as f64 {
            return Some(WarmedUp { steady: false, window_ms });
        }
        let latency = self.latency(elapsed_ms, work);
        let sample_ms = self.sample_ms();
        let longest_ms = latency.as_ref().map_or(f64::INFINITY, |latency| latency.longest_ms);
        let slice_ms = longest_ms.min(window_ms_max as f64 / WINDOW_LATENCIES).max(sample_ms);
        let samples = (slice_ms / sample_ms).ceil();
        let steady = elapsed_ms >= warmup_ms as f64 && is_steady(&self.throughputs(samples as usize));
        let unsteady_ms = (2.0 * warmup_ms as f64).max(SLICES_MAX * samples * sample_ms);
        if !steady && elapsed_ms < unsteady_ms.min(warmup_ms_max as f64) {
            return None;
        }
        let window_ms = latency.map_or(window_ms, |latency| self.window_ms(&latency));
        Some(WarmedUp { steady, window_ms })
    }

    /// When an operation completed last, as far as samples show.
    fn answered_ms(&self) -> f64 {
        let last = self.samples.last().map_or(0, |sample| sample.work.completed);
        let first = self.samples.iter().find(|sample| sample.work.completed == last);
        first.map_or(0.0, |sample| sample.elapsed_ms)
    }

    /// `None` where nothing completed. Operations that are still outstanding are missing from the mean; in a closed
    /// loop Little's law counts them too.
    fn latency(&self, elapsed_ms: f64, work: Work) -> Option<Latency> {
        let first = self.samples.iter().rfind(|sample| sample.elapsed_ms <= elapsed_ms / 2.0)?;
        let completed = (work.completed - first.work.completed) as f64;
        if completed == 0.0 {
            return None;
        }
        let mean_ms = to_ms(work.latency - first.work.latency) / completed;
        let by_law_ms = |outstanding: f64| outstanding * (elapsed_ms - first.elapsed_ms) / completed;
        let longest_ms = self.outstanding.map_or(mean_ms, |outstanding| by_law_ms(outstanding).max(mean_ms));
        Some(Latency { mean_ms, longest_ms })
    }

    /// Of the last eight slices of so many samples; fewer while there are fewer.
    fn throughputs(&self, samples: usize) -> Vec<f64> {
        let ends: Vec<&Sample> = self.samples.iter().rev().step_by(samples).take(SLICES + 1).collect();
        let of = |pair: &[&Sample]| {
            let (end, begin) = (pair[0], pair[1]);
            (end.work.applied - begin.work.applied) as f64 / (end.elapsed_ms - begin.elapsed_ms)
        };
        ends.windows(2).rev().map(of).collect()
    }

    /// A lengthened window has a whole number of latencies: where replies come in waves, as from a target of constant
    /// latency, it cuts none of them in two.
    fn window_ms(&self, &Latency { mean_ms, longest_ms }: &Latency) -> u64 {
        let Timing { window_ms, window_ms_max, .. } = self.timing;
        let needed_ms = WINDOW_LATENCIES * longest_ms;
        if needed_ms <= window_ms as f64 {
            return window_ms;
        }
        let wave_ms = mean_ms.max(1.0);
        (((needed_ms / wave_ms).ceil() * wave_ms).ceil() as u64).min(window_ms_max)
    }
}

#[cfg(test)]
#[path = "tests/warm_up.rs"]
mod tests;
