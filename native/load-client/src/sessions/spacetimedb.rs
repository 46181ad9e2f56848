//! SpacetimeDB: reducer calls over one WebSocket for each session.

use std::task::{Context, Poll};

use fair_bench_spacetimedb_wire as wire;
use fair_bench_workload_transfer::Transfer;
use serde_json::{Map, Value};

use super::{Connected, Connector, LocalFuture, Place, Session};
use crate::outcome::{DeclineReason, FaultCode, Outcome};
use crate::plan::Endpoint;

/// For endpoints with the options `database` and `confirmedReads`.
pub(super) fn connector(endpoint: &Endpoint) -> Result<Box<dyn Connector>, String> {
    Ok(Box::new(SpacetimeDb { endpoint: parse(endpoint) }))
}

struct SpacetimeDb {
    endpoint: Result<wire::Endpoint, String>,
}

impl Connector for SpacetimeDb {
    fn connect(&self, depth: u32) -> LocalFuture<Connected> {
        let endpoint = self.endpoint.clone();
        Box::pin(async move {
            match wire::Session::connect(endpoint?, wire::Protocols::Newest, depth).await {
                Ok(session) => Ok(Box::new(SpacetimeDbSession(session)) as Box<dyn Session>),
                Err(error) => Err(format!("spacetimedb: {}", wire::with_causes(&error))),
            }
        })
    }
}

struct SpacetimeDbSession(wire::Session);

impl Session for SpacetimeDbSession {
    fn send(&mut self, place: Place, &Transfer { source, target, amount }: &Transfer) {
        self.0.send(place, wire::Transfer { source, target, amount });
    }

    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Vec<(Place, Outcome)>) -> Poll<()> {
        self.0.poll(context, |place, outcome| outcomes.push((place, outcome_of(outcome))))
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(self.0.close())
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

fn outcome_of(outcome: wire::Outcome) -> Outcome {
    match outcome {
        wire::Outcome::Applied => Outcome::APPLIED,
        wire::Outcome::Declined(reason) => Outcome::declined(match reason {
            wire::DeclineReason::InsufficientFunds => DeclineReason::InsufficientFunds,
            wire::DeclineReason::MissingAccount => DeclineReason::MissingAccount,
            wire::DeclineReason::SameAccount => DeclineReason::SameAccount,
            wire::DeclineReason::NonPositiveAmount => DeclineReason::NonPositiveAmount,
        }),
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
mod tests {
    use serde_json::json;

    use super::*;

    fn endpoint(url: &str, options: &Value) -> Endpoint {
        Endpoint { url: url.to_owned(), options: options.as_object().unwrap().clone() }
    }

    #[test]
    fn the_options_are_those_of_the_connector_and_no_others() {
        let good = json!({ "database": "fair-bench-1", "confirmedReads": false });
        let parsed = parse(&endpoint("http://127.0.0.1:3000", &good));
        assert_eq!(parsed, Ok(wire::Endpoint::new("http://127.0.0.1:3000", "fair-bench-1", false).unwrap()));
        for (options, field) in [
            (json!({}), "database"),
            (json!({ "database": 1, "confirmedReads": true }), "database"),
            (json!({ "database": "a" }), "confirmedReads"),
            (json!({ "database": "a", "confirmedReads": "true" }), "confirmedReads"),
            (json!({ "database": "a", "confirmedReads": true, "compression": "gzip" }), "compression"),
        ] {
            let reason = parse(&endpoint("http://127.0.0.1:3000", &options)).unwrap_err();
            assert!(reason.starts_with("plan.endpoint.options: ") && reason.contains(field), "{reason}");
        }
    }

    #[test]
    fn a_url_that_cannot_be_spoken_to_names_the_endpoint() {
        let options = json!({ "database": "a", "confirmedReads": true });
        let reason = parse(&endpoint("https://user:secret@db.test", &options)).unwrap_err();
        assert!(reason.starts_with("plan.endpoint: ") && !reason.contains("secret"), "{reason}");
    }
}
