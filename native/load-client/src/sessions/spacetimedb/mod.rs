//! SpacetimeDB: calls over one WebSocket per session, of a reducer, or of a procedure if the operation returns
//! something.

mod arguments;
mod reply;

use std::sync::Arc;
use std::task::{Context, Poll};

use fair_bench_spacetimedb_wire as wire;
use fair_bench_workload::{Operation, Returns, Values, Workload};
use serde_json::{Map, Value};

use super::{Connected, Connector, LocalFuture, Place, Session};
use crate::outcome::{FaultCode, Outcome};
use crate::plan::Endpoint;
use arguments::encode_arguments;
use reply::parse_reply;

/// For endpoints with the options `database` and `confirmedReads`.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Result<Box<dyn Connector>, String> {
    Ok(Box::new(SpacetimeDb { endpoint: parse(endpoint), workload: Arc::clone(workload) }))
}

struct SpacetimeDb {
    endpoint: Result<wire::Endpoint, String>,
    workload: Arc<Workload>,
}

impl Connector for SpacetimeDb {
    fn connect(&self, depth: u32) -> LocalFuture<Connected> {
        let (endpoint, workload) = (self.endpoint.clone(), Arc::clone(&self.workload));
        Box::pin(async move {
            match wire::Session::connect(endpoint?, wire::Protocols::Newest, depth).await {
                Ok(session) => {
                    let operations = vec![0; depth as usize].into_boxed_slice();
                    let session = SpacetimeDbSession { session, workload, operations, arguments: Vec::new() };
                    Ok(Box::new(session) as Box<dyn Session>)
                }
                Err(error) => Err(format!("spacetimedb: {}", wire::with_causes(&error))),
            }
        })
    }
}

struct SpacetimeDbSession {
    session: wire::Session,
    workload: Arc<Workload>,
    /// The numbers of the outstanding operations, by place.
    operations: Box<[u32]>,
    /// Of the call that is being sent.
    arguments: Vec<u8>,
}

impl Session for SpacetimeDbSession {
    fn send(&mut self, place: Place, values: &Values) {
        let operation = &self.workload.operations[values.operation as usize];
        self.operations[place as usize] = values.operation;
        self.arguments.clear();
        encode_arguments(operation, values, &mut self.arguments);
        let returns_nothing = matches!(operation.returns, Returns::Nothing);
        let callee = if returns_nothing { wire::Callee::Reducer } else { wire::Callee::Procedure };
        self.session.send(place, wire::Call { callee, name: &operation.name, arguments: &self.arguments });
    }

    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Vec<(Place, Outcome)>) -> Poll<()> {
        let Self { session, workload, operations, .. } = self;
        session.poll(context, |place, outcome| {
            let operation = &workload.operations[operations[place as usize] as usize];
            outcomes.push((place, outcome_of(operation, outcome)));
        })
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(self.session.close())
    }
}

fn parse(endpoint: &Endpoint) -> Result<wire::Endpoint, String> {
    let Options { database, confirmed_reads } = Options::parse(&endpoint.options)?;
    wire::Endpoint::new(&endpoint.url, database, confirmed_reads)
        .map_err(|error| format!("plan.endpoint: {}", wire::with_causes(&error)))
}

/// The twin of `packages/connector-spacetimedb/src/session.ts`.
struct Options<'a> {
    database: &'a str,
    confirmed_reads: bool,
}

impl<'a> Options<'a> {
    fn parse(options: &'a Map<String, Value>) -> Result<Self, String> {
        let wrong = |what: &str| format!("plan.endpoint.options: spacetimedb {what}");
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

fn outcome_of(operation: &Operation, outcome: wire::Outcome) -> Outcome {
    match outcome {
        wire::Outcome::Applied => Outcome::APPLIED,
        wire::Outcome::Returned(value) => parse_reply(operation, &value).map_or_else(
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
                wire::FaultCode::ConnectionLost => FaultCode::ConnectionLost,
                wire::FaultCode::ConnectionRefused => FaultCode::ConnectionRefused,
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
