//! Batches that the server has undone, as the victims of deadlocks, until they are sent again.

use std::future::Future as _;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::Pin;
use std::task::Context;

use tokio::time::Sleep;

use super::session::Place;
use crate::clock::{MS, Nanos, instant_of, now};

/// How often a batch is sent again, as by the Node load client.
pub(super) const RETRIES_MAX: u64 = 10;
const DELAY_MAX: Nanos = 50 * MS;

/// The operations of a request that has several.
pub(super) struct Batch {
    pub(super) operations: Vec<u32>,
    pub(super) bytes: Vec<u8>,
    pub(super) retries: u64,
}

#[derive(Default)]
pub(super) struct Undone {
    waiting: Vec<(Nanos, Place, Box<Batch>)>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Undone {
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// To be sent after a random time: batches that collided once do not meet again in step.
    pub(super) fn push(&mut self, place: Place, batch: Box<Batch>) {
        let most = (MS << batch.retries.min(RETRIES_MAX)).min(DELAY_MAX);
        let delay = RandomState::new().hash_one(place) % most;
        self.waiting.push((now() + delay, place, batch));
    }

    /// One whose time it is; without one the context is woken when it is.
    #[inline]
    pub(super) fn due(&mut self, context: &mut Context<'_>) -> Option<(Place, Box<Batch>)> {
        if self.waiting.is_empty() { None } else { self.next(context) }
    }

    fn next(&mut self, context: &mut Context<'_>) -> Option<(Place, Box<Batch>)> {
        let (number, at) = self.waiting.iter().map(|(at, ..)| *at).enumerate().min_by_key(|(_, at)| *at)?;
        if at > now() {
            let mut alarm = Box::pin(tokio::time::sleep_until(instant_of(at).into()));
            if alarm.as_mut().poll(context).is_pending() {
                self.alarm = Some(alarm);
                return None;
            }
        }
        let (_, place, batch) = self.waiting.swap_remove(number);
        Some((place, batch))
    }

    /// All of them: they are not applied.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Place, Box<Batch>)> {
        self.waiting.drain(..).map(|(_, place, batch)| (place, batch))
    }
}
