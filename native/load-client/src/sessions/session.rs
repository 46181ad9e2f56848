//! What the loop knows of a protocol: a `Connector` and its `Session`s.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use fair_bench_workload::{Operation, Reply, Values, Workload};

use crate::clock::Nanos;
use crate::error::Result;
use crate::outcome::{FaultCode, Outcome};
use crate::plan::Endpoint;

/// Which of a session's `depth` slots a request belongs to: 0 … depth − 1.
pub type Place = u32;

/// A future that stays on its thread.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// One client connection of the trial, with up to `depth` outstanding operations. A session that loses its connection
/// answers everything outstanding with faults and connects again at the next `send`; it never sends an operation
/// twice, unless the server has certainly undone it, as the victim of a deadlock.
pub trait Session {
    /// Takes an operation, to be sent by the next `poll`. `place` is free: its last outcome was returned.
    fn send(&mut self, place: Place, values: &Values);

    /// Takes several operations as one request, which commits once and has an outcome for each, appended in their order
    /// by one `poll`. Only of a connector with batches. A batch that the server has certainly undone, as the victim of a
    /// deadlock, may be sent again.
    fn send_batch(&mut self, place: Place, batch: &[Values]) {
        batch.iter().for_each(|values| self.send(place, values));
    }

    /// Writes taken operations, in one write if the socket has room, reads what has arrived, and appends an outcome
    /// for each finished operation. Ready when it appended any; otherwise pending, and the context's waker is called
    /// when there is more to do. Allocates nothing for an outcome without fault once replies are as large as before;
    /// never blocks.
    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<()>;

    /// Ends the connection cleanly when nothing is outstanding, and drops it otherwise.
    fn close(self: Box<Self>) -> LocalFuture<()>;
}

/// Outcomes by place on their way from the sessions of a thread to its loop.
#[derive(Default)]
pub struct Outcomes {
    /// In the order in which they arrived.
    pub settled: Vec<(Place, Outcome)>,
    /// For the replies to come.
    pub spare: Spare,
}

impl Outcomes {
    /// Appends an outcome.
    #[inline]
    pub fn push(&mut self, place: Place, outcome: Outcome) {
        self.settled.push((place, outcome));
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.settled.is_empty()
    }
}

/// Replies that were counted and may be written again.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "a reply goes out in its box and comes back in it")]
pub struct Spare(Vec<Box<Reply>>);

impl Spare {
    /// A reply without rows.
    #[inline]
    pub fn take(&mut self, columns: usize) -> Box<Reply> {
        let mut reply = self.0.pop().unwrap_or_default();
        reply.clear(columns);
        reply
    }

    /// Takes a reply back.
    #[inline]
    pub fn put(&mut self, reply: Option<Box<Reply>>) {
        self.0.extend(reply);
    }
}

/// Opens the sessions of one endpoint; created once per trial and shared by its threads.
pub trait Connector: Send + Sync {
    /// Connects one session until it can send: authenticated, statements prepared. Drop it when it takes too long.
    /// Reports a wrong endpoint, as in the twin.
    fn connect(&self, depth: u32) -> LocalFuture<Connected>;

    /// Whether its sessions carry operations out on the load thread itself, and not a server: then the thread looks at its
    /// time and its orders after a few of their turns.
    fn is_in_process(&self) -> bool {
        false
    }

    /// How long it took to open the engine; `None` without an engine in this process.
    fn opened(&self) -> Option<Nanos> {
        None
    }

    /// Whether its sessions can send several operations as one request.
    fn has_batches(&self) -> bool {
        false
    }
}

/// The result of connecting a session.
pub type Connected = Result<Box<dyn Session>>;

/// Makes a connector from an endpoint, for the operations of a workload.
pub type CreateConnector = fn(&Endpoint, &Arc<Workload>) -> Box<dyn Connector>;

/// Declined for a reason, which has to be one of the operation's.
pub(crate) fn declined(operation: &Operation, reason: &str) -> Outcome {
    operation.reason(reason).map_or_else(
        || {
            let what = format!(
                "the operation {} returned {reason:?}, which is not one of its reasons",
                operation.name
            );
            Outcome::in_doubt(FaultCode::ProtocolError, what)
        },
        Outcome::declined,
    )
}
