//! A connection that reopens itself, with its outstanding calls.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::timeout;

use crate::connection::{Connection, Protocols};
use crate::endpoint::Endpoint;
use crate::error::{ConnectError, LostConnection, with_causes};
use crate::message::{Call, Callee, Reply};
use crate::outcome::{FaultCode, Outcome};

/// The time limit for reopening a lost connection; the caller limits the first one.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A request id is the place below, and above it a number that distinguishes its operations.
const PLACE_BITS: u32 = 16;

/// One connection at a time, on which up to `depth` calls are outstanding, each in a place of its own.
///
/// When the connection is lost, what is outstanding on it is in doubt; the next call opens another. Nothing
/// is sent twice.
#[derive(Debug)]
pub struct Session {
    endpoint: Endpoint,
    protocols: Protocols,
    state: State,
    places: Box<[Place]>,
    outstanding: u32,
    /// Taken while there was no connection; not sent yet.
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    place: u32,
    callee: Callee,
    name: String,
    arguments: Vec<u8>,
}

enum State {
    Live(Box<Connection>),
    Opening(Pin<Box<dyn Future<Output = Result<Connection, String>>>>),
    Lost,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    operation: u16,
    is_outstanding: bool,
}

impl Session {
    /// The most calls that a session can have outstanding.
    pub const DEPTH_MAX: u32 = 1 << PLACE_BITS;

    /// Opens the first connection. `depth` is from 1 to `DEPTH_MAX`. Bounded by nothing: to be dropped when it
    /// takes too long.
    ///
    /// # Errors
    ///
    /// When there is no connection.
    pub async fn connect(endpoint: Endpoint, protocols: Protocols, depth: u32) -> Result<Self, ConnectError> {
        let connection = Connection::open(&endpoint, protocols).await?;
        let places = vec![Place::default(); depth.min(Self::DEPTH_MAX) as usize].into_boxed_slice();
        let state = State::Live(Box::new(connection));
        Ok(Self { endpoint, protocols, state, places, outstanding: 0, waiting: Vec::new() })
    }

    /// Takes a call, to be sent by the next `poll`. `place` is below the depth, and free: the outcome of its
    /// last call was handed out.
    pub fn send(&mut self, place: u32, call: Call<'_>) {
        match &mut self.state {
            State::Live(connection) => {
                connection.push(begin(&mut self.places, place), call);
                self.outstanding += 1;
            }
            State::Opening(_) | State::Lost => {
                let Call { callee, name, arguments } = call;
                let waiting = Waiting { place, callee, name: name.to_owned(), arguments: arguments.to_vec() };
                self.waiting.push(waiting);
            }
        }
    }

    /// Sends what was taken, in one write where the socket has room, reads what has arrived, and hands out an
    /// outcome by place for each call that has one. Ready when there was any; otherwise pending, and then the
    /// waker is called when there is more to do.
    pub fn poll(&mut self, context: &mut Context<'_>, mut on_outcome: impl FnMut(u32, Outcome)) -> Poll<()> {
        let mut any = false;
        let mut tell = |place, outcome| {
            any = true;
            on_outcome(place, outcome);
        };
        self.open_again(context, &mut tell);
        if let Err(lost) = self.exchange(context, &mut tell) {
            self.lose(&lost, &mut tell);
        }
        if any { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ends the connection: in good order when nothing is outstanding.
    pub async fn close(self) {
        if let State::Live(connection) = self.state
            && self.outstanding == 0
        {
            connection.close().await;
        }
    }

    /// Continues opening another connection, if one is needed.
    fn open_again(&mut self, context: &mut Context<'_>, tell: &mut impl FnMut(u32, Outcome)) {
        if self.waiting.is_empty() {
            return;
        }
        if matches!(self.state, State::Lost) {
            self.state = State::Opening(Box::pin(reopen(self.endpoint.clone(), self.protocols)));
        }
        let State::Opening(opening) = &mut self.state else { return };
        match opening.as_mut().poll(context) {
            Poll::Pending => {}
            Poll::Ready(Ok(connection)) => {
                self.state = State::Live(Box::new(connection));
                for Waiting { place, callee, name, arguments } in std::mem::take(&mut self.waiting) {
                    self.send(place, Call { callee, name: &name, arguments: &arguments });
                }
            }
            Poll::Ready(Err(reason)) => {
                self.state = State::Lost;
                for Waiting { place, .. } in self.waiting.drain(..) {
                    tell(place, Outcome::fault(FaultCode::ConnectionRefused, false, &reason));
                }
            }
        }
    }

    fn exchange(
        &mut self,
        context: &mut Context<'_>,
        tell: &mut impl FnMut(u32, Outcome),
    ) -> Result<(), LostConnection> {
        let State::Live(connection) = &mut self.state else { return Ok(()) };
        if let Poll::Ready(Err(lost)) = connection.poll_write(context) {
            return Err(lost);
        }
        let mut unasked = None;
        let (places, outstanding) = (&mut self.places, &mut self.outstanding);
        let read =
            connection.poll_read(context, |Reply { request_id, result }| match end(places, request_id) {
                Some(place) => {
                    *outstanding -= 1;
                    tell(place, Outcome::of(result));
                }
                None => unasked = Some(request_id),
            });
        match (read, unasked) {
            (_, Some(request_id)) => Err(LostConnection::UnaskedReply(request_id)),
            (Poll::Ready(Err(lost)), None) => Err(lost),
            (Poll::Ready(Ok(())) | Poll::Pending, None) => Ok(()),
        }
    }

    fn lose(&mut self, lost: &LostConnection, tell: &mut impl FnMut(u32, Outcome)) {
        self.state = State::Lost;
        self.outstanding = 0;
        let code =
            if lost.is_protocol_error() { FaultCode::ProtocolError } else { FaultCode::ConnectionLost };
        let what = with_causes(lost);
        for (number, place) in (0..).zip(&mut self.places) {
            if std::mem::take(&mut place.is_outstanding) {
                tell(number, Outcome::fault(code, true, &what));
            }
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Live(_) => "Live",
            Self::Opening(_) => "Opening",
            Self::Lost => "Lost",
        })
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

async fn reopen(endpoint: Endpoint, protocols: Protocols) -> Result<Connection, String> {
    match timeout(RECONNECT_TIMEOUT, Connection::open(&endpoint, protocols)).await {
        Ok(opened) => opened.map_err(|error| with_causes(&error)),
        Err(_) => Err(format!("no connection within {} s", RECONNECT_TIMEOUT.as_secs())),
    }
}

#[cfg(test)]
#[path = "tests/session.rs"]
mod tests;
