//! The protocols of the targets. A protocol is one module: a `Connector` and its `Session`s.

mod codec;
mod http_rpc;
mod pipelined;
mod postgres;
mod reconnecting;
mod session;
mod spacetimedb;
mod stream;
#[cfg(test)]
#[path = "tests/support.rs"]
mod test_support;
mod tls;
mod undone;

pub use session::{Connected, Connector, CreateConnector, LocalFuture, Outcomes, Place, Session, Spare};

/// The protocols by the names that a plan gives them.
pub const PROTOCOLS: &[(&str, CreateConnector)] = &[
    ("http-rpc", http_rpc::connector),
    ("postgres", postgres::connector),
    ("spacetimedb", spacetimedb::connector),
];
