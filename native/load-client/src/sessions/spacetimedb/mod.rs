//! SpacetimeDB: calls over one WebSocket per session, of a reducer, or of a procedure if the operation returns
//! something.

mod arguments;
mod reply;

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use fair_bench_spacetimedb_wire as wire;
use fair_bench_workload::{Operation, Returns, Values, Workload};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::reconnecting::{Link, Reconnecting};
use super::session::{Connected, Connector, LocalFuture, Outcomes, Place, Session, Spare};
use crate::error::{Error, Result};
use crate::outcome::{FaultCode, Outcome};
use crate::plan::Endpoint;
use arguments::encode_arguments;
use reply::parse_reply;

/// The time limit for opening another connection; the plan limits the first one.
const RECONNECT_MAX: Duration = Duration::from_secs(5);

/// For endpoints with the options `database` and `confirmedReads`.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Box<dyn Connector> {
    Box::new(SpacetimeDb { endpoint: endpoint.clone(), workload: Arc::clone(workload) })
}

struct SpacetimeDb {
    endpoint: Endpoint,
    workload: Arc<Workload>,
}

impl Connector for SpacetimeDb {
    fn connect(&self, depth: u32) -> LocalFuture<Connected> {
        let (endpoint, workload) = (parse(&self.endpoint), Arc::clone(&self.workload));
        Box::pin(async move {
            let endpoint = endpoint?;
            let first = Calls::open(&endpoint, &workload, depth).await?;
            let reopen = Rc::new(move || -> LocalFuture<Result<Calls>> {
                let (endpoint, workload) = (endpoint.clone(), Arc::clone(&workload));
                Box::pin(async move {
                    let opened = timeout(RECONNECT_MAX, Calls::open(&endpoint, &workload, depth)).await;
                    let late =
                        || Error::refused(format!("spacetimedb: no connection within {RECONNECT_MAX:?}"));
                    opened.unwrap_or_else(|_| Err(late()))
                })
            });
            Ok(Box::new(Reconnecting::new(first, reopen)) as Box<dyn Session>)
        })
    }
}

/// A connection, with the numbers of the outstanding operations by place.
struct Calls {
    session: wire::Session,
    workload: Arc<Workload>,
    operations: Box<[u32]>,
    /// Of the call that is being sent.
    arguments: Vec<u8>,
}

impl Calls {
    async fn open(endpoint: &wire::Endpoint, workload: &Arc<Workload>, depth: u32) -> Result<Self> {
        let session = wire::Session::connect(endpoint, wire::Protocols::Newest, depth).await;
        Ok(Self {
            session: session.map_err(|error| Error::refused(message_of(&error)))?,
            workload: Arc::clone(workload),
            operations: vec![0; depth as usize].into_boxed_slice(),
            arguments: Vec::new(),
        })
    }
}

impl Link for Calls {
    fn send(&mut self, place: Place, values: &Values) {
        let operation = &self.workload.operations[values.operation as usize];
        self.operations[place as usize] = values.operation;
        self.arguments.clear();
        encode_arguments(operation, values, &mut self.arguments);
        let returns_nothing = matches!(operation.returns, Returns::Nothing);
        let callee = if returns_nothing { wire::Callee::Reducer } else { wire::Callee::Procedure };
        self.session.send(place, wire::Call { callee, name: &operation.name, arguments: &self.arguments });
    }

    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<Result<()>> {
        let Self { session, workload, operations, .. } = self;
        let polled = session.poll(context, |place, outcome| {
            let operation = &workload.operations[operations[place as usize] as usize];
            let outcome = outcome_of(operation, outcome, &mut outcomes.spare);
            outcomes.push(place, outcome);
        });
        polled.map_err(|lost| {
            let what = message_of(&lost);
            if lost.is_protocol_error() { Error::Broken(what) } else { Error::Ended(what) }
        })
    }

    /// Everything is in doubt, also what may not have left the buffer.
    fn lose(&mut self, end: Error, outcomes: &mut Outcomes) {
        let code = match end {
            Error::Broken(_) => FaultCode::ProtocolError,
            _ => FaultCode::ConnectionLost,
        };
        let what = end.to_string();
        self.session.take_outstanding(|place| outcomes.push(place, Outcome::in_doubt(code, what.as_str())));
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(self.session.close())
    }
}

fn message_of(error: &dyn std::error::Error) -> String {
    format!("spacetimedb: {}", wire::with_causes(error))
}

fn parse(endpoint: &Endpoint) -> Result<wire::Endpoint> {
    let Options { database, confirmed_reads } = Options::parse(&endpoint.options)?;
    wire::Endpoint::new(&endpoint.url, database, confirmed_reads)
        .map_err(|error| Error::plan("plan.endpoint", wire::with_causes(&error)))
}

/// The twin of `packages/connector-spacetimedb/src/session.ts`.
struct Options<'a> {
    database: &'a str,
    confirmed_reads: bool,
}

impl<'a> Options<'a> {
    fn parse(options: &'a Map<String, Value>) -> Result<Self> {
        let wrong = |what: &str| Error::plan("plan.endpoint.options", format!("spacetimedb {what}"));
        let known = ["database", "confirmedReads"];
        if let Some(option) = options.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong(&format!("has no option {option:?}")));
        }
        let database = options.get("database").and_then(Value::as_str);
        let confirmed_reads = options.get("confirmedReads").and_then(Value::as_bool);
        Ok(Self {
            database: database.ok_or_else(|| wrong("needs the database's name as database"))?,
            confirmed_reads: confirmed_reads.ok_or_else(|| wrong("needs confirmedReads as true or false"))?,
        })
    }
}

fn outcome_of(operation: &Operation, outcome: wire::Outcome<'_>, spare: &mut Spare) -> Outcome {
    match outcome {
        wire::Outcome::Applied => Outcome::APPLIED,
        wire::Outcome::Returned(value) => parse_reply(operation, value, spare).map_or_else(
            || {
                let what = format!("spacetimedb: {} returned something else", operation.name);
                Outcome::in_doubt(FaultCode::ProtocolError, what)
            },
            Outcome::replied,
        ),
        wire::Outcome::Declined(reason) => operation.reason(&reason).map_or_else(
            || {
                let name = &operation.name;
                Outcome::refused(
                    FaultCode::ServerError,
                    format!("spacetimedb: {name} has no reason {reason:?}"),
                )
            },
            Outcome::declined,
        ),
        wire::Outcome::Fault(fault) => {
            let code = match fault.code {
                wire::FaultCode::ProtocolError => FaultCode::ProtocolError,
                wire::FaultCode::ServerError => FaultCode::ServerError,
            };
            if fault.in_doubt {
                Outcome::in_doubt(code, fault.message)
            } else {
                Outcome::refused(code, fault.message)
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/spacetimedb.rs"]
mod tests;
