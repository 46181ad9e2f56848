//! Requests that the server has undone, as the victims of deadlocks, until they are sent again. The policy is that of the Node client
//! and of the application servers (`packages/contract/src/retry.ts`).

use std::future::Future as _;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::Pin;
use std::task::Context;

use tokio::time::Sleep;

use super::session::Place;
use crate::clock::{MS, Nanos, instant_of, now};

/// How often a request is sent again.
pub(super) const RETRIES_MAX: u64 = 10;
const DELAY_MAX: Nanos = 50 * MS;

/// A request as it can be sent again.
pub(super) struct Kept {
    pub(super) operations: Operations,
    pub(super) bytes: Vec<u8>,
    pub(super) retries: u64,
}

/// What a request carries, by its operations' numbers.
pub(super) enum Operations {
    One(u32),
    /// As one request of the protocol's own for several, of which there may be one.
    Batch(Vec<u32>),
}

impl Operations {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Batch(operations) => operations.len(),
        }
    }
}

#[derive(Default)]
pub(super) struct Undone {
    waiting: Vec<(Nanos, Place, Box<Kept>)>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Undone {
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// To be sent after a random time: those that collided once do not meet again in step.
    pub(super) fn push(&mut self, place: Place, kept: Box<Kept>) {
        let most = (MS << kept.retries.min(RETRIES_MAX)).min(DELAY_MAX);
        let delay = RandomState::new().hash_one(place) % most;
        self.waiting.push((now() + delay, place, kept));
    }

    /// One whose time it is; without one the context is woken when it is.
    #[inline]
    pub(super) fn due(&mut self, context: &mut Context<'_>) -> Option<(Place, Box<Kept>)> {
        if self.waiting.is_empty() { None } else { self.next(context) }
    }

    fn next(&mut self, context: &mut Context<'_>) -> Option<(Place, Box<Kept>)> {
        let (number, at) = self.waiting.iter().map(|(at, ..)| *at).enumerate().min_by_key(|(_, at)| *at)?;
        if at > now() {
            let mut alarm = Box::pin(tokio::time::sleep_until(instant_of(at).into()));
            if alarm.as_mut().poll(context).is_pending() {
                self.alarm = Some(alarm);
                return None;
            }
        }
        let (_, place, kept) = self.waiting.swap_remove(number);
        Some((place, kept))
    }

    /// All of them: they are not applied.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Place, Box<Kept>)> {
        self.waiting.drain(..).map(|(_, place, kept)| (place, kept))
    }
}
