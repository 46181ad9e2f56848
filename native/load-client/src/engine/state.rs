//! The state of a thread's load: which operation each slot sends next, and what becomes of an outcome.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::assignment::{Assignment, Emit, Event};
use super::canaries::Canaries;
use super::health::{Health, News};
use super::lane::Lane;
use super::pace::{Pace, SlotNumber};
use super::processor::ProcessorTime;
use super::watched::Watched;
use crate::clock::{NEVER, Nanos, from_ms, now};
use crate::error::{Error, Result};
use crate::outcome::{Outcome, Verdict};
use crate::recorder::Recorder;
use crate::sessions::{Outcomes, Place};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Warm-up and window: operations start.
    Sending,
    /// Outstanding operations are awaited.
    Draining,
    /// Nothing is counted any more.
    Over,
}

/// What the tasks of a thread share.
pub(super) struct Core {
    pub(super) recorder: Recorder,
    pub(super) pace: Pace,
    health: Health,
    pub(super) canaries: Canaries,
    watched: Watched,
    /// Operations in a request.
    pub(super) batch: usize,
    /// The place of a canary in its session: behind the slots.
    pub(super) canary_place: Place,
    pub(super) pauses: BinaryHeap<Reverse<(Nanos, SlotNumber)>>,
    pub(super) stage: Stage,
    drain: Nanos,
    pub(super) processor: ProcessorTime,
    pub(super) sessions: u32,
    emit: Emit,
    /// Set when the trial has failed; wakes the timekeeper.
    pub(super) failure: Option<Error>,
    /// Lent to the running task, so that tasks need no buffer of their own.
    pub(super) outcomes: Outcomes,
}

impl Core {
    pub(super) fn new(assignment: &Assignment, recorder: Recorder, emit: Emit) -> Self {
        let plan = &assignment.trial.plan;
        Self {
            recorder,
            pace: Pace::new(plan, assignment.session_first, assignment.session_count),
            health: Health::new(assignment.session_count),
            canaries: Canaries::new(assignment),
            watched: Watched::new(assignment),
            batch: plan.batch as usize,
            canary_place: plan.depth,
            pauses: BinaryHeap::new(),
            stage: Stage::Sending,
            drain: from_ms(plan.timing.drain_ms),
            processor: ProcessorTime::default(),
            sessions: assignment.session_count,
            emit,
            failure: None,
            outcomes: Outcomes::default(),
        }
    }

    pub(super) fn set_window(&mut self, from: Nanos, until: Nanos) {
        self.recorder.window_from = from;
        self.recorder.window_until = until;
        self.canaries.begin(from, until);
        self.pace.set_window(from, until);
    }

    pub(super) fn advance(&mut self, time: Nanos) {
        self.processor.note(time, self.recorder.window_from, self.recorder.window_until);
        if self.stage == Stage::Sending && time >= self.recorder.window_until {
            self.stage = Stage::Draining;
            self.pauses.clear();
        }
    }

    pub(super) fn is_drained(&self, time: Nanos) -> bool {
        self.stage == Stage::Draining && (self.is_idle() || time >= self.drain_end())
    }

    fn is_idle(&self) -> bool {
        self.recorder.outstanding == 0 && !self.canaries.is_outstanding()
    }

    const fn drain_end(&self) -> Nanos {
        self.recorder.window_until.saturating_add(self.drain)
    }

    pub(super) fn deadline(&self, time: Nanos) -> Nanos {
        if self.stage == Stage::Draining {
            return self.drain_end();
        }
        let pause = self.pauses.peek().map_or(NEVER, |Reverse((at, _))| *at);
        let Recorder { window_from, window_until, .. } = self.recorder;
        let window_edge = if self.processor.has_begun() { window_until } else { window_from };
        window_edge.min(pause).min(self.pace.wake_at(time)).min(self.canaries.due())
    }

    /// Draws an operation, logs it, reads the clock, and sends it, in this order.
    #[inline]
    pub(super) fn send(&mut self, number: u32, lane: &mut Lane, place: Place, due: Nanos) -> Result<()> {
        if self.batch > 1 {
            return self.send_batch(number, lane, place, due);
        }
        let Lane { session: Some(session), stream, slots, values, .. } = lane else { return Ok(()) };
        let (slot, values) = (&mut slots[place as usize], &mut values[place as usize]);
        stream.next(values)?;
        self.recorder.sent(number as usize, values);
        self.watched.drawn(values.sequence);
        slot.busy = true;
        slot.sent = now();
        slot.from = due.min(slot.sent);
        session.send(place, values);
        Ok(())
    }

    /// The same for the session's next operations, as one request.
    fn send_batch(&mut self, number: u32, lane: &mut Lane, place: Place, due: Nanos) -> Result<()> {
        let Lane { session: Some(session), stream, slots, values, .. } = lane else { return Ok(()) };
        let first = place as usize * self.batch;
        let (slot, batch) = (&mut slots[place as usize], &mut values[first..first + self.batch]);
        for values in &mut *batch {
            stream.next(values)?;
            self.recorder.sent(number as usize, values);
            self.watched.drawn(values.sequence);
        }
        slot.busy = true;
        slot.settled = 0;
        slot.sent = now();
        slot.from = due.min(slot.sent);
        session.send_batch(place, batch);
        Ok(())
    }

    /// Counts an outcome and sends the slot's next operation, if there is one. Returns whether the timekeeper must
    /// compute its deadline again.
    #[inline]
    pub(super) fn settle(
        &mut self,
        number: u32,
        lane: &mut Lane,
        place: Place,
        outcome: &Outcome,
    ) -> Result<bool> {
        if place == self.canary_place {
            if let Some(outcome) = self.canaries.settled(outcome) {
                (self.emit)(Event::Canary(outcome));
            }
            return Ok(self.stage == Stage::Draining);
        }
        let slot = &mut lane.slots[place as usize];
        let (time, mut changed);
        if self.batch == 1 {
            time = now();
            slot.busy = false;
            let sent = slot.as_sent(number as usize, &lane.values[place as usize]);
            changed = self.recorder.settle(&sent, outcome, time);
            self.watch(number, sent.values.sequence, outcome, time);
        } else {
            // All are there when the first is.
            if slot.settled == 0 {
                slot.settled_at = now();
            }
            time = slot.settled_at;
            let values = &lane.values[place as usize * self.batch + slot.settled as usize];
            changed = self.recorder.settle(&slot.as_sent(number as usize, values), outcome, time);
            self.watch(number, values.sequence, outcome, time);
            slot.settled += 1;
            if (slot.settled as usize) < self.batch {
                return Ok(changed);
            }
            slot.busy = false;
        }
        let slot_number = place * self.sessions + number;
        if matches!(outcome.verdict, Verdict::Fault(_)) || lane.health.failing || slot.failures > 0 {
            let (pause, news) = self.health.observe(&mut lane.health, &mut slot.failures, outcome);
            match news {
                News::Nothing => {}
                News::Lost(message) => (self.emit)(Event::Lost(message)),
                News::Recovered => (self.emit)(Event::Recovered),
            }
            if pause > 0 {
                if self.stage == Stage::Sending {
                    self.pauses.push(Reverse((time + pause, slot_number)));
                }
                return Ok(true);
            }
        }
        match self.pace.next(slot_number, time) {
            Some(due) => self.send(number, lane, place, due)?,
            // The first idle slot of an open loop: from now on the timekeeper has starts to make.
            None => changed |= self.pace.idle() == 1,
        }
        Ok(changed)
    }

    /// Reports the acknowledgement of a watched operation, after it was counted.
    #[inline]
    fn watch(&mut self, number: u32, sequence: u32, outcome: &Outcome, time: Nanos) {
        if !self.watched.has(number, sequence) || !matches!(outcome.verdict, Verdict::Applied) {
            return;
        }
        let Recorder { window_from, window_until, .. } = self.recorder;
        if (window_from..window_until).contains(&time)
            && let Some(acknowledged) = self.watched.acknowledged(number, sequence, time)
        {
            (self.emit)(Event::Acknowledged(acknowledged));
        }
    }
}
