//! A session that opens another connection after one that was lost, for every protocol. What was outstanding on the lost
//! one has its faults; nothing is sent twice.

use std::rc::Rc;
use std::task::{Context, Poll};

use fair_bench_workload::Values;

use super::session::{LocalFuture, Outcomes, Place, Session};
use crate::error::{Error, Result};
use crate::outcome::Outcome;

/// A connection of a session.
pub(crate) trait Link: 'static {
    /// As `Session::send`.
    fn send(&mut self, place: Place, values: &Values);
    /// As `Session::send_batch`.
    fn send_batch(&mut self, place: Place, batch: &[Values]) {
        batch.iter().for_each(|values| self.send(place, values));
    }
    /// As `Session::poll`; an error is the end of the connection.
    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<Result<()>>;
    /// Appends a fault for each outstanding operation of a connection that ended in this way.
    fn lose(&mut self, end: Error, outcomes: &mut Outcomes);
    /// As `Session::close`.
    fn close(self: Box<Self>) -> LocalFuture<()>;
}

/// Opens another connection.
pub(crate) type Open<L> = Rc<dyn Fn() -> LocalFuture<Result<L>>>;

pub(crate) struct Reconnecting<L> {
    open: Open<L>,
    state: State<L>,
}

enum State<L> {
    Live(Box<L>),
    /// With the requests that wait for it.
    Opening(LocalFuture<Result<L>>, Vec<Waiting>),
    Lost,
}

struct Waiting {
    place: Place,
    operations: Vec<Values>,
    is_batch: bool,
}

impl Waiting {
    fn send<L: Link>(&self, link: &mut L) {
        match self {
            Self { place, operations, is_batch: true } => link.send_batch(*place, operations),
            Self { place, operations, .. } => operations.iter().for_each(|values| link.send(*place, values)),
        }
    }
}

impl<L: Link> Reconnecting<L> {
    fn wait(&mut self, request: Waiting) {
        match &mut self.state {
            State::Live(link) => request.send(&mut **link),
            State::Opening(_, waiting) => waiting.push(request),
            State::Lost => self.state = State::Opening((self.open)(), vec![request]),
        }
    }

    /// With its first connection.
    pub(crate) fn new(link: L, open: Open<L>) -> Self {
        Self { open, state: State::Live(Box::new(link)) }
    }

    /// Opens the first connection in the same way as the others.
    pub(crate) async fn connect(open: Open<L>) -> Result<Box<dyn Session>> {
        Ok(Box::new(Self::new(open().await?, open)))
    }
}

impl<L: Link> Session for Reconnecting<L> {
    fn send(&mut self, place: Place, values: &Values) {
        match &mut self.state {
            State::Live(link) => link.send(place, values),
            _ => self.wait(Waiting { place, operations: vec![values.clone()], is_batch: false }),
        }
    }

    fn send_batch(&mut self, place: Place, batch: &[Values]) {
        match &mut self.state {
            State::Live(link) => link.send_batch(place, batch),
            _ => self.wait(Waiting { place, operations: batch.to_vec(), is_batch: true }),
        }
    }

    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<()> {
        loop {
            match &mut self.state {
                State::Live(link) => match link.poll(context, outcomes) {
                    Poll::Ready(Ok(())) => return Poll::Ready(()),
                    Poll::Ready(Err(end)) => {
                        link.lose(end, outcomes);
                        self.state = State::Lost;
                        return if outcomes.is_empty() { Poll::Pending } else { Poll::Ready(()) };
                    }
                    Poll::Pending => return Poll::Pending,
                },
                State::Opening(opening, waiting) => match opening.as_mut().poll(context) {
                    Poll::Ready(Ok(link)) => {
                        let mut link = Box::new(link);
                        for request in waiting {
                            request.send(&mut *link);
                        }
                        self.state = State::Live(link);
                    }
                    Poll::Ready(Err(error)) => {
                        let (code, reason) = (error.code_of_waiting(), error.to_string());
                        for Waiting { place, operations, .. } in waiting.drain(..) {
                            for _ in operations {
                                outcomes.push(place, Outcome::refused(code, reason.as_str()));
                            }
                        }
                        self.state = State::Lost;
                        return Poll::Ready(());
                    }
                    Poll::Pending => return Poll::Pending,
                },
                State::Lost => return Poll::Pending,
            }
        }
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        match self.state {
            State::Live(link) => link.close(),
            State::Opening(..) | State::Lost => Box::pin(async {}),
        }
    }
}

#[cfg(test)]
#[path = "tests/reconnecting.rs"]
mod tests;
