//! The timed loop. Each session has a task, woken by its socket; one more task keeps the time for all of them
//! by one deadline: the phases, the first starts, an open loop's due starts, and the ends of pauses.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

use super::canaries::Canaries;
use super::connect::close_sessions;
use super::health::{Health, News};
use super::lane::Lane;
use super::pace::{Pace, SlotNumber};
use super::processor::ProcessorTime;
use super::{Assignment, Command, Emit, Event, Report, reason_of};
use crate::clock::{NEVER, Nanos, from_ms, instant_of, now};
use crate::outcome::{Outcome, Verdict};
use crate::recorder::Recorder;
use crate::sessions::Place;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Warm-up and window: operations start.
    Sending,
    /// Outstanding operations are awaited.
    Draining,
    /// Nothing is counted any more.
    Over,
}

/// What the tasks of a thread share.
struct Core {
    recorder: Recorder,
    pace: Pace,
    health: Health,
    canaries: Canaries,
    /// The place of a canary in its session: behind the slots.
    canary_place: Place,
    pauses: BinaryHeap<Reverse<(Nanos, SlotNumber)>>,
    stage: Stage,
    drain: Nanos,
    processor: ProcessorTime,
    sessions: u32,
    emit: Emit,
    /// Set when the trial has failed; wakes the timekeeper.
    failure: Option<String>,
    /// Lent to the running task, so that tasks need no buffer of their own.
    outcomes: Vec<(Place, Outcome)>,
}

/// The load of connected sessions.
pub(super) struct Load {
    core: Rc<RefCell<Core>>,
    lanes: Vec<Rc<RefCell<Lane>>>,
    /// Wakes the timekeeper to compute its deadline again.
    changed: Rc<Notify>,
}

impl Load {
    pub(super) fn new(assignment: &Assignment, recorder: Recorder, lanes: Vec<Lane>, emit: Emit) -> Self {
        let plan = &assignment.trial.plan;
        let core = Core {
            recorder,
            pace: Pace::new(plan, assignment.session_first, assignment.session_count),
            health: Health::new(assignment.session_count),
            canaries: Canaries::new(assignment),
            canary_place: plan.depth,
            pauses: BinaryHeap::new(),
            stage: Stage::Sending,
            drain: from_ms(plan.timing.drain_ms),
            processor: ProcessorTime::default(),
            sessions: assignment.session_count,
            emit,
            failure: None,
            outcomes: Vec::with_capacity(plan.depth as usize),
        };
        let lanes = lanes.into_iter().map(|lane| Rc::new(RefCell::new(lane))).collect();
        Self { core: Rc::new(RefCell::new(core)), lanes, changed: Rc::new(Notify::new()) }
    }

    /// Until the drain is over and the sessions are closed, or the trial has failed.
    pub(super) async fn run(self, mut commands: UnboundedReceiver<Command>) -> Result<Event, String> {
        let mut tasks = JoinSet::new();
        for (number, lane) in self.lanes.iter().enumerate() {
            let (lane, core, changed) = (Rc::clone(lane), Rc::clone(&self.core), Rc::clone(&self.changed));
            let number = number as u32;
            tasks.spawn_local(std::future::poll_fn(move |context| {
                poll_lane(number, &lane, &core, &changed, context)
            }));
        }
        let ended = self.keep_time(&mut commands).await;
        self.core.borrow_mut().stage = Stage::Over;
        tasks.shutdown().await;
        let Self { core, lanes, .. } = self;
        if let Ok(Some(at)) = ended {
            give_up_on(&lanes, &mut core.borrow_mut().recorder, at);
        }
        close_sessions(lanes.iter().filter_map(|lane| lane.borrow_mut().session.take())).await;
        drop(lanes);
        let Some(at) = ended? else { return Ok(Event::Aborted) };
        let core = Rc::try_unwrap(core).map_err(|_| "a task of the load outlived it".to_owned())?;
        let Core { recorder, pace, processor, .. } = core.into_inner();
        let recording = recorder.into_recording(pace.offered());
        let utilization = processor.utilization();
        Ok(Event::Report(Box::new(Report { recording, ended: at, utilization })))
    }

    /// Returns when the drain has ended, or `None` after an order to abort.
    async fn keep_time(&self, commands: &mut UnboundedReceiver<Command>) -> Result<Option<Nanos>, String> {
        loop {
            let time = now();
            let deadline = {
                let mut core = self.core.borrow_mut();
                if let Some(failure) = core.failure.take() {
                    return Err(failure);
                }
                core.advance(time);
                if core.is_drained(time) {
                    return Ok(Some(time));
                }
                self.start_due(&mut core, time)?;
                core.deadline(time)
            };
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::Begin(at)) => {
                        let mut core = self.core.borrow_mut();
                        core.recorder.begin(at);
                        core.pace.begin(at);
                    }
                    Some(Command::Window(from, until)) => self.core.borrow_mut().set_window(from, until),
                    Some(Command::Abort) | None => return Ok(None),
                },
                () = self.changed.notified() => {}
                () = tokio::time::sleep_until(instant_of(deadline).into()) => {}
            }
        }
    }

    /// Starts of idle slots: the first ones, an open loop's, and those whose pause is over.
    fn start_due(&self, core: &mut Core, time: Nanos) -> Result<(), String> {
        if core.stage != Stage::Sending {
            return Ok(());
        }
        while let Some(Reverse((at, slot))) = core.pauses.peek().copied() {
            if at > time {
                break;
            }
            core.pauses.pop();
            if let Some(due) = core.pace.next(slot, time) {
                self.start(core, slot, due)?;
            }
        }
        while let Some(start) = core.pace.start_due(time) {
            self.start(core, start.slot, start.due)?;
        }
        while core.canaries.due() <= time {
            let Some((number, session)) = core.canaries.take(time) else { continue };
            let mut lane = self.lanes[session as usize].borrow_mut();
            if let Some(session) = &mut lane.session {
                session.send(core.canary_place, core.canaries.values(number));
            }
            lane.wake();
        }
        Ok(())
    }

    fn start(&self, core: &mut Core, slot: SlotNumber, due: Nanos) -> Result<(), String> {
        let mut lane = self.lanes[(slot % core.sessions) as usize].borrow_mut();
        let (session, place) = (slot % core.sessions, slot / core.sessions);
        core.send(session, &mut lane, place, due)?;
        lane.wake();
        Ok(())
    }
}

impl Core {
    fn set_window(&mut self, from: Nanos, until: Nanos) {
        self.recorder.window_from = from;
        self.recorder.window_until = until;
        self.canaries.begin(from);
        self.pace.set_window(from, until);
    }

    fn advance(&mut self, time: Nanos) {
        self.processor.note(time, self.recorder.window_from, self.recorder.window_until);
        if self.stage == Stage::Sending && time >= self.recorder.window_until {
            self.stage = Stage::Draining;
            self.pauses.clear();
        }
    }

    fn is_drained(&self, time: Nanos) -> bool {
        self.stage == Stage::Draining && (self.is_idle() || time >= self.drain_end())
    }

    fn is_idle(&self) -> bool {
        self.recorder.outstanding == 0 && !self.canaries.is_outstanding()
    }

    const fn drain_end(&self) -> Nanos {
        self.recorder.window_until.saturating_add(self.drain)
    }

    fn deadline(&self, time: Nanos) -> Nanos {
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
    fn send(&mut self, number: u32, lane: &mut Lane, place: Place, due: Nanos) -> Result<(), String> {
        let Lane { session: Some(session), stream, slots, .. } = lane else { return Ok(()) };
        let slot = &mut slots[place as usize];
        stream.next(&mut slot.values).map_err(|error| error.to_string())?;
        self.recorder.sent(number as usize);
        slot.busy = true;
        slot.sent = now();
        slot.from = due.min(slot.sent);
        session.send(place, &slot.values);
        Ok(())
    }

    /// Counts an outcome and sends the slot's next operation, if there is one. Returns whether the timekeeper must
    /// compute its deadline again.
    #[inline]
    fn settle(
        &mut self,
        number: u32,
        lane: &mut Lane,
        place: Place,
        outcome: &Outcome,
    ) -> Result<bool, String> {
        if place == self.canary_place {
            if let Some(outcome) = self.canaries.settled(outcome) {
                (self.emit)(Event::Canary(outcome));
            }
            return Ok(self.stage == Stage::Draining);
        }
        let slot = &mut lane.slots[place as usize];
        let time = now();
        slot.busy = false;
        let mut changed = self.recorder.settle(&slot.as_sent(number as usize), outcome, time);
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
}

/// The task of one session. Never ready: it is ended from outside.
fn poll_lane(
    number: u32,
    lane: &RefCell<Lane>,
    core: &RefCell<Core>,
    changed: &Notify,
    context: &mut Context<'_>,
) -> Poll<()> {
    let work = AssertUnwindSafe(|| poll_lane_until_pending(number, lane, core, changed, context));
    let failure = match catch_unwind(work) {
        Ok(Ok(())) => return Poll::Pending,
        Ok(Err(reason)) => reason,
        Err(panic) => reason_of(&*panic),
    };
    core.borrow_mut().failure = Some(failure);
    changed.notify_one();
    Poll::Pending
}

fn poll_lane_until_pending(
    number: u32,
    lane: &RefCell<Lane>,
    core: &RefCell<Core>,
    changed: &Notify,
    context: &mut Context<'_>,
) -> Result<(), String> {
    let mut lane = lane.borrow_mut();
    let core = &mut *core.borrow_mut();
    if core.stage == Stage::Over {
        return Ok(());
    }
    let mut outcomes = std::mem::take(&mut core.outcomes);
    while lane.poll(context, &mut outcomes).is_ready() {
        let mut time_changed = false;
        for (place, outcome) in outcomes.drain(..) {
            time_changed |= core.settle(number, &mut lane, place, &outcome)?;
        }
        if time_changed {
            changed.notify_one();
        }
    }
    core.outcomes = outcomes;
    Ok(())
}

fn give_up_on(lanes: &[Rc<RefCell<Lane>>], recorder: &mut Recorder, at: Nanos) {
    for (number, lane) in lanes.iter().enumerate() {
        let mut lane = lane.borrow_mut();
        for slot in lane.slots.iter_mut().filter(|slot| slot.busy) {
            slot.busy = false;
            recorder.give_up(&slot.as_sent(number), at);
        }
    }
}
