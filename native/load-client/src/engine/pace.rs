//! Decides when a free slot sends next: the only difference between closed and open loop.

use std::collections::VecDeque;

use crate::clock::{MS, NEVER, Nanos};
use crate::plan::{LoopKind, TrialPlan};
use crate::recording::OfferedLoad;

/// The part of the warm-up over which a closed loop's slots begin.
const START_SPREAD_MS_MAX: f64 = 100.0;
/// The steps of that beginning.
const START_STEP: Nanos = MS;

/// A slot of this thread: slot by slot of depth, so that the sessions take turns from the start.
pub(super) type SlotNumber = u32;

/// A due start: its slot, and the time from which it is timed.
pub(super) struct Start {
    pub(super) slot: SlotNumber,
    /// `NEVER` when it is timed from its sending.
    pub(super) due: Nanos,
}

pub(super) enum Pace {
    Closed(ClosedLoop),
    Open(OpenLoop),
}

impl Pace {
    pub(super) fn new(plan: &TrialPlan, session_first: u32, session_count: u32) -> Self {
        let slots = session_count * plan.depth;
        match plan.loop_kind {
            LoopKind::Closed => Self::Closed(ClosedLoop {
                spread: START_SPREAD_MS_MAX.min(plan.timing.warmup_ms as f64 / 2.0) * MS as f64,
                slots,
                begun: 0,
                start: NEVER,
                until: NEVER,
            }),
            LoopKind::Open { rate_per_second } => {
                let (all, ours) = (f64::from(plan.sessions), f64::from(session_count));
                // A start per millionth of a nanosecond: above any rate that a backlog can distinguish.
                let interval = (1e9 * f64::from(plan.batch) * all / (rate_per_second * ours)).max(1e-6);
                let offset = interval * f64::from(session_first) / all;
                let free = (0..slots).collect();
                let operations = u64::from(plan.batch);
                Self::Open(OpenLoop { free, operations, ..OpenLoop::new(interval, offset) })
            }
        }
    }

    pub(super) fn begin(&mut self, start: Nanos) {
        match self {
            Self::Closed(closed) => closed.start = start,
            Self::Open(open) => open.start = start,
        }
    }

    /// The measured window: no operation starts at or after its end.
    pub(super) fn set_window(&mut self, from: Nanos, until: Nanos) {
        match self {
            Self::Closed(closed) => closed.until = until,
            Self::Open(open) => (open.from, open.until) = (from, until),
        }
    }

    /// The time at which the next operation of a slot that has just settled was due. `None`: the slot stays idle.
    #[inline]
    pub(super) fn next(&mut self, slot: SlotNumber, now: Nanos) -> Option<Nanos> {
        match self {
            Self::Closed(closed) => (now < closed.until).then_some(NEVER),
            Self::Open(open) => {
                let due = open.take(now);
                if due.is_none() {
                    open.free.push_back(slot);
                }
                due
            }
        }
    }

    /// How many slots wait for a start to fall due.
    pub(super) fn idle(&self) -> usize {
        match self {
            Self::Closed(_) => 0,
            Self::Open(open) => open.free.len(),
        }
    }

    /// The next start of an idle slot, if it is due.
    pub(super) fn start_due(&mut self, now: Nanos) -> Option<Start> {
        match self {
            Self::Closed(closed) => closed.start_due(now),
            Self::Open(open) => {
                let due = if open.free.is_empty() { None } else { open.take(now) }?;
                open.free.pop_front().map(|slot| Start { slot, due })
            }
        }
    }

    /// When an idle slot must be woken; `NEVER` if none must.
    pub(super) fn wake_at(&self, now: Nanos) -> Nanos {
        match self {
            Self::Closed(closed) if closed.begun < closed.slots && closed.start != NEVER => {
                closed.start.max(now) + START_STEP
            }
            Self::Open(open) if !open.free.is_empty() && now < open.until => open.due(),
            _ => NEVER,
        }
    }

    /// The due operations of the window, once it is over; `None` in the closed loop, where replies decide.
    pub(super) fn offered(&self) -> Option<OfferedLoad> {
        match self {
            Self::Closed(_) => None,
            Self::Open(open) => Some(open.offered()),
        }
    }
}

/// A slot sends as soon as its last operation is settled. First operations are spread evenly: sessions that start in
/// step stay in step with a target of constant latency.
pub(super) struct ClosedLoop {
    spread: f64,
    slots: u32,
    begun: u32,
    start: Nanos,
    until: Nanos,
}

impl ClosedLoop {
    fn start_due(&mut self, now: Nanos) -> Option<Start> {
        if self.start == NEVER || self.begun == self.slots || now >= self.until {
            return None;
        }
        let elapsed = now.saturating_sub(self.start) as f64;
        let share = if self.spread == 0.0 { 1.0 } else { elapsed / self.spread };
        let due = (share * f64::from(self.slots)) as u64 + 1;
        if u64::from(self.begun) >= due {
            return None;
        }
        self.begun += 1;
        Some(Start { slot: self.begun - 1, due: NEVER })
    }
}

/// Operations fall due at a constant rate whatever the target does (Tene: otherwise a target that stalls stops its
/// own clock). The k-th start is due at start + offset + k × interval, so the backlog is one number.
pub(super) struct OpenLoop {
    /// Nanoseconds, with their fraction.
    interval: f64,
    offset: f64,
    /// In each start.
    operations: u64,
    /// First in, first out, so that the sessions take turns.
    free: VecDeque<SlotNumber>,
    start: Nanos,
    started: u64,
    started_in_window: u64,
    from: Nanos,
    until: Nanos,
}

impl OpenLoop {
    const fn new(interval: f64, offset: f64) -> Self {
        let free = VecDeque::new();
        Self {
            interval,
            offset,
            operations: 1,
            free,
            start: NEVER,
            started: 0,
            started_in_window: 0,
            from: NEVER,
            until: NEVER,
        }
    }

    #[inline]
    fn due(&self) -> Nanos {
        if self.start == NEVER {
            return NEVER;
        }
        self.start.saturating_add((self.offset + self.started as f64 * self.interval) as Nanos)
    }

    #[inline]
    fn take(&mut self, now: Nanos) -> Option<Nanos> {
        let due = self.due();
        if due > now || now >= self.until {
            return None;
        }
        self.started += 1;
        self.started_in_window += u64::from(now >= self.from);
        Some(due)
    }

    fn offered(&self) -> OfferedLoad {
        let due_by_end = self.due_before(self.until);
        OfferedLoad {
            due: self.operations * (due_by_end - self.due_before(self.from).min(due_by_end)),
            started: self.operations * self.started_in_window,
            waiting: due_by_end.saturating_sub(self.started),
            waiting_longest: self.until.saturating_sub(self.due()),
            interval: self.interval,
            each: self.operations,
        }
    }

    /// The number of starts due before a time.
    fn due_before(&self, time: Nanos) -> u64 {
        if self.start == NEVER || time == NEVER {
            return 0;
        }
        let since_first = time as f64 - self.start as f64 - self.offset;
        (since_first / self.interval).ceil().max(0.0) as u64
    }
}

#[cfg(test)]
#[path = "tests/pace.rs"]
mod tests;
