//! A connection with its outstanding calls, each in a place of its own.

use std::task::{Context, Poll};

use crate::connection::{Connection, Protocols};
use crate::endpoint::Endpoint;
use crate::error::{ConnectError, LostConnection};
use crate::message::{Call, Reply};
use crate::outcome::Outcome;

/// A request id is the place below, and above it a number that distinguishes its operations.
const PLACE_BITS: u32 = 16;

/// One connection, on which up to `depth` calls are outstanding. When it is lost, they are in doubt.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    places: Box<[Place]>,
    outstanding: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    operation: u16,
    is_outstanding: bool,
}

impl Session {
    /// The most calls that a session can have outstanding.
    pub const DEPTH_MAX: u32 = 1 << PLACE_BITS;

    /// Opens the connection. `depth` is from 1 to `DEPTH_MAX`. Bounded by nothing: to be dropped when it takes too long.
    ///
    /// # Errors
    ///
    /// When there is no connection.
    pub async fn connect(
        endpoint: &Endpoint,
        protocols: Protocols,
        depth: u32,
    ) -> Result<Self, ConnectError> {
        let connection = Connection::open(endpoint, protocols).await?;
        let places = vec![Place::default(); depth.min(Self::DEPTH_MAX) as usize].into_boxed_slice();
        Ok(Self { connection, places, outstanding: 0 })
    }

    /// Takes a call, to be sent by the next `poll`. `place` is below the depth, and free: the outcome of its
    /// last call was handed out.
    pub fn send(&mut self, place: u32, call: Call<'_>) {
        self.connection.push(begin(&mut self.places, place), call);
        self.outstanding += 1;
    }

    /// Sends what was taken, in one write where the socket has room, reads what has arrived, and hands out an
    /// outcome by place for each call that has one. Ready when there was any; otherwise pending, and then the
    /// waker is called when there is more to do.
    ///
    /// # Errors
    ///
    /// When the connection is lost; outcomes may have been handed out before.
    pub fn poll(
        &mut self,
        context: &mut Context<'_>,
        mut on_outcome: impl FnMut(u32, Outcome<'_>),
    ) -> Poll<Result<(), LostConnection>> {
        let Self { connection, places, outstanding } = self;
        if let Poll::Ready(Err(lost)) = connection.poll_write(context) {
            return Poll::Ready(Err(lost));
        }
        let mut unasked = None;
        let read =
            connection.poll_read(context, |Reply { request_id, result }| match end(places, request_id) {
                Some(place) => {
                    *outstanding -= 1;
                    on_outcome(place, Outcome::of(result));
                }
                None => unasked = Some(request_id),
            });
        match unasked {
            Some(request_id) => Poll::Ready(Err(LostConnection::UnaskedReply(request_id))),
            None => read,
        }
    }

    /// Hands out the places of the outstanding calls after the connection was lost. No call is outstanding then.
    pub fn take_outstanding(&mut self, mut on_place: impl FnMut(u32)) {
        self.outstanding = 0;
        for (number, place) in (0..).zip(&mut self.places) {
            if std::mem::take(&mut place.is_outstanding) {
                on_place(number);
            }
        }
    }

    /// Ends the connection: in good order when nothing is outstanding.
    pub async fn close(self) {
        if self.outstanding == 0 {
            self.connection.close().await;
        }
    }
}

/// Records a call as outstanding in its place, and numbers it.
fn begin(places: &mut [Place], number: u32) -> u32 {
    let place = &mut places[number as usize];
    place.operation = place.operation.wrapping_add(1);
    place.is_outstanding = true;
    u32::from(place.operation) << PLACE_BITS | number
}

/// The place of a reply's call; none if no call of that number is outstanding.
fn end(places: &mut [Place], request_id: u32) -> Option<u32> {
    let number = request_id & (Session::DEPTH_MAX - 1);
    let place = places.get_mut(number as usize)?;
    let is_asked = place.is_outstanding && u32::from(place.operation) == request_id >> PLACE_BITS;
    is_asked.then(|| {
        place.is_outstanding = false;
        number
    })
}

#[cfg(test)]
#[path = "tests/session.rs"]
mod tests;
