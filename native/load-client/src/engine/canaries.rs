//! Uncounted operations: sent in the timed sessions, behind their outstanding operations, and reported as soon as
//! they are acknowledged. The twin of `packages/load-client/src/loop/canaries.ts`.

use std::sync::Arc;

use fair_bench_workload::Values;

use super::assignment::{Assignment, Trial};
use crate::clock::{NEVER, Nanos, now, to_machine_us};
use crate::outcome::{CanaryOutcome, Outcome, Verdict};

/// Canary n uses this session of its thread: the stride spreads a few canaries over many sessions.
const SESSION_STRIDE: u32 = 7;

pub(super) struct Canaries {
    trial: Arc<Trial>,
    every: Nanos,
    sessions: u32,
    from: Nanos,
    /// The next one of this thread.
    next: u32,
    outstanding: Option<u32>,
}

impl Canaries {
    pub(super) fn new(assignment: &Assignment) -> Self {
        let Assignment { trial, thread, session_count, .. } = assignment;
        Self {
            trial: Arc::clone(trial),
            every: NEVER,
            sessions: *session_count,
            from: NEVER,
            next: *thread,
            outstanding: None,
        }
    }

    /// The window is then; a later call, which ends it early, does not move them.
    pub(super) fn begin(&mut self, from: Nanos, until: Nanos) {
        if self.from == NEVER {
            self.from = from;
            self.every = (until - from) / self.trial.canaries.len().max(1) as u64;
        }
    }

    pub(super) const fn is_outstanding(&self) -> bool {
        self.outstanding.is_some()
    }

    pub(super) fn values(&self, number: u32) -> &Values {
        &self.trial.canaries[number as usize]
    }

    /// When the next one is due; `NEVER` when none is.
    pub(super) fn due(&self) -> Nanos {
        if self.from == NEVER || self.next as usize >= self.trial.canaries.len() {
            return NEVER;
        }
        let middle = u64::from(self.next).saturating_mul(self.every).saturating_add(self.every / 2);
        self.from.saturating_add(middle)
    }

    /// The due canary and its session in this thread; one is outstanding at a time, and those due meanwhile are
    /// skipped.
    pub(super) fn take(&mut self, time: Nanos) -> Option<(u32, u32)> {
        if self.due() > time {
            return None;
        }
        let number = self.next;
        self.next += self.trial.plan.threads;
        if self.outstanding.is_some() {
            return None;
        }
        self.outstanding = Some(number);
        Some((number, number.wrapping_mul(SESSION_STRIDE) % self.sessions))
    }

    pub(super) fn settled(&mut self, outcome: &Outcome) -> Option<CanaryOutcome> {
        let number = self.outstanding.take()?;
        let outcome = match outcome.verdict {
            Verdict::Applied => "applied",
            Verdict::Declined(_) => "declined",
            Verdict::Fault(_) => "fault",
        };
        Some(CanaryOutcome { number, outcome, at_ms: to_machine_us(now()) / 1e3 })
    }
}
