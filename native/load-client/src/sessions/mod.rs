//! The protocols of the targets. A protocol is one module: a `Connector` and its `Session`s.

mod codec;
mod http_rpc;
pub(crate) mod pipelined;
pub(crate) mod postgres;
mod spacetimedb;
#[cfg(test)]
#[path = "tests/support.rs"]
mod test_support;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use fair_bench_workload::{Operation, Values, Workload};

use crate::outcome::{FaultCode, Outcome};
use crate::plan::Endpoint;

/// Which of a session's `depth` slots an operation belongs to: 0 … depth − 1.
pub type Place = u32;

/// A future that stays on its thread.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// One client connection of the trial, with up to `depth` outstanding operations. A session that loses its connection
/// answers everything outstanding with faults and connects again at the next `send`; it never sends an operation
/// twice.
pub trait Session {
    /// Takes an operation, to be sent by the next `poll`. `place` is free: its last outcome was returned.
    fn send(&mut self, place: Place, values: &Values);

    /// Writes taken operations, in one write if the socket has room, reads what has arrived, and appends an outcome
    /// for each finished operation. Ready when it appended any; otherwise pending, and the context's waker is called
    /// when there is more to do. Never allocates for a reply without fault, never blocks.
    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Vec<(Place, Outcome)>) -> Poll<()>;

    /// Ends the connection cleanly when nothing is outstanding, and drops it otherwise.
    fn close(self: Box<Self>) -> LocalFuture<()>;
}

/// The result of connecting a session; the error is one line.
pub type Connected = Result<Box<dyn Session>, String>;

/// Opens the sessions of one endpoint; created once per trial and shared by its threads.
pub trait Connector: Send + Sync {
    /// Connects one session until it can send: authenticated, statements prepared. Drop it when it takes too long.
    fn connect(&self, depth: u32) -> LocalFuture<Connected>;
}

/// Makes a connector from an endpoint, for the operations of a workload. `connect` reports a wrong endpoint, as in
/// the twin; an error here refuses the plan, and names its field.
pub type CreateConnector = fn(&Endpoint, &Arc<Workload>) -> Result<Box<dyn Connector>, String>;

/// The protocols by the names that a plan gives them.
pub const PROTOCOLS: &[(&str, CreateConnector)] = &[
    ("http-rpc", http_rpc::connector),
    ("postgres", postgres::connector),
    ("spacetimedb", spacetimedb::connector),
];

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

/// The names, for a message.
#[must_use]
pub fn protocol_names() -> String {
    PROTOCOLS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
