//! A session with its stream and its slots.

use std::task::{Context, Poll, Waker};

use fair_bench_workload::{Stream, Values};

use super::health::SessionHealth;
use crate::clock::Nanos;
use crate::recording::Sent;
use crate::sessions::{Outcomes, Session};

pub(super) struct Lane {
    /// Taken away when it is closed.
    pub(super) session: Option<Box<dyn Session>>,
    pub(super) stream: Stream,
    pub(super) slots: Box<[Slot]>,
    /// The operations of each slot's request, as many as a batch has, one slot after the other.
    pub(super) values: Box<[Values]>,
    pub(super) health: SessionHealth,
    waker: Option<Waker>,
}

/// One of the `depth` places of a session, for one request at a time.
#[derive(Clone, Default)]
pub(super) struct Slot {
    pub(super) sent: Nanos,
    pub(super) from: Nanos,
    pub(super) busy: bool,
    /// How many operations of a batch have their outcome, and when the first had it.
    pub(super) settled: u32,
    pub(super) settled_at: Nanos,
    /// Connection faults in a row.
    pub(super) failures: u32,
}

impl Slot {
    pub(super) const fn as_sent<'a>(&self, session: usize, values: &'a Values) -> Sent<'a> {
        Sent { session, values, sent: self.sent, from: self.from }
    }
}

impl Lane {
    pub(super) fn new(session: Box<dyn Session>, stream: Stream, (depth, batch): (u32, u32)) -> Self {
        let operations = depth as usize * batch as usize;
        Self {
            session: Some(session),
            stream,
            slots: vec![Slot::default(); depth as usize].into_boxed_slice(),
            values: vec![Values::default(); operations].into_boxed_slice(),
            health: SessionHealth::default(),
            waker: None,
        }
    }

    /// Lets the session write and read; pending when it is closed.
    #[inline]
    pub(super) fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<()> {
        if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            self.waker = Some(context.waker().clone());
        }
        self.session.as_mut().map_or(Poll::Pending, |session| session.poll(context, outcomes))
    }

    /// Makes the runtime poll the session, which got something to send from outside its own task.
    pub(super) fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker.wake_by_ref();
        }
    }
}
