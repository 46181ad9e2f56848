//! The timed loop. Each session has a task, woken by its socket; one more task keeps the time for all of them
//! by one deadline: the phases, the first starts, an open loop's due starts, and the ends of pauses.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

use super::alarm::Alarm;
use super::assignment::{Assignment, Emit, Event, Report, WorkerCommand};
use super::connect::close_sessions;
use super::lane::Lane;
use super::pace::SlotNumber;
use super::panics::failure_of;
use super::state::{Core, Stage};
use crate::clock::{Nanos, now};
use crate::error::{Error, Result};
use crate::recorder::Recorder;
use crate::sessions::Outcomes;

/// The load of connected sessions.
pub(super) struct Load {
    core: Rc<RefCell<Core>>,
    lanes: Vec<Rc<RefCell<Lane>>>,
    /// Wakes the timekeeper to compute its deadline again.
    changed: Rc<Notify>,
}

impl Load {
    pub(super) fn new(assignment: &Assignment, recorder: Recorder, lanes: Vec<Lane>, emit: Emit) -> Self {
        let core = Core::new(assignment, recorder, emit);
        let lanes = lanes.into_iter().map(|lane| Rc::new(RefCell::new(lane))).collect();
        Self { core: Rc::new(RefCell::new(core)), lanes, changed: Rc::new(Notify::new()) }
    }

    /// Until the drain is over and the sessions are closed, or the trial has failed.
    pub(super) async fn run(self, mut commands: UnboundedReceiver<WorkerCommand>) -> Result<Event> {
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
        let core =
            Rc::try_unwrap(core).map_err(|_| Error::Thread("a task of the load outlived it".to_owned()))?;
        let Core { recorder, pace, processor, .. } = core.into_inner();
        let recording = recorder.into_recording(pace.offered());
        let utilization = processor.utilization();
        Ok(Event::Report(Box::new(Report { recording, ended: at, utilization })))
    }

    /// Returns when the drain has ended, or `None` after an order to abort.
    async fn keep_time(&self, commands: &mut UnboundedReceiver<WorkerCommand>) -> Result<Option<Nanos>> {
        let no_timer = |error: io::Error| Error::Thread(format!("a load thread has no timer: {error}"));
        let alarm = Alarm::new().map_err(no_timer)?;
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
                    Some(WorkerCommand::Begin(at)) => {
                        let mut core = self.core.borrow_mut();
                        core.recorder.begin(at);
                        core.pace.begin(at);
                    }
                    Some(WorkerCommand::Window(from, until)) => self.core.borrow_mut().set_window(from, until),
                    Some(WorkerCommand::Abort) | None => return Ok(None),
                },
                () = self.changed.notified() => {}
                rung = alarm.at(deadline) => rung.map_err(no_timer)?,
            }
        }
    }

    /// Starts of idle slots: the first ones, an open loop's, and those whose pause is over.
    fn start_due(&self, core: &mut Core, time: Nanos) -> Result<()> {
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
                let values = core.canaries.values(number);
                // It takes the way of the load: a batch of one.
                match core.batch {
                    1 => session.send(core.canary_place, values),
                    _ => session.send_batch(core.canary_place, std::slice::from_ref(values)),
                }
            }
            lane.wake();
        }
        Ok(())
    }

    fn start(&self, core: &mut Core, slot: SlotNumber, due: Nanos) -> Result<()> {
        let mut lane = self.lanes[(slot % core.sessions) as usize].borrow_mut();
        let (session, place) = (slot % core.sessions, slot / core.sessions);
        core.send(session, &mut lane, place, due)?;
        lane.wake();
        Ok(())
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
        Ok(Err(error)) => error,
        Err(panic) => failure_of(&*panic),
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
) -> Result<()> {
    let mut lane = lane.borrow_mut();
    let core = &mut *core.borrow_mut();
    if core.stage == Stage::Over {
        return Ok(());
    }
    let mut outcomes = std::mem::take(&mut core.outcomes);
    while lane.poll(context, &mut outcomes).is_ready() {
        let mut time_changed = false;
        let Outcomes { settled, spare } = &mut outcomes;
        for (place, outcome) in &mut *settled {
            time_changed |= core.settle(number, &mut lane, *place, outcome)?;
            spare.put(outcome.reply.take());
        }
        settled.clear();
        if time_changed {
            changed.notify_one();
        }
    }
    core.outcomes = outcomes;
    Ok(())
}

fn give_up_on(lanes: &[Rc<RefCell<Lane>>], recorder: &mut Recorder, at: Nanos) {
    for (number, lane) in lanes.iter().enumerate() {
        let Lane { slots, values, .. } = &mut *lane.borrow_mut();
        let batch = values.len() / slots.len().max(1);
        for (slot, batch) in slots.iter_mut().zip(values.chunks(batch.max(1))).filter(|(slot, _)| slot.busy) {
            slot.busy = false;
            for values in &batch[slot.settled as usize..] {
                recorder.give_up(&slot.as_sent(number, values), at);
            }
        }
    }
}
