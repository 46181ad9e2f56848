//! Calls of reducers and procedures over the WebSocket protocol of SpacetimeDB 2.x, as many at a time as the caller likes.
//!
//! [`Connection`] is one WebSocket to one database. Calls are numbered by the caller, written together where
//! they are ready together, and each is answered by a [`Reply`] that carries its number. Nothing is subscribed
//! to, and nothing is compressed. [`Session`] is what a load client wants of it: places that hold a call each, and
//! outcomes. A lost connection is not opened again here.
//!
//! The messages are the protocol's own BSATN encoding, written here for the one call and the two answers that
//! this needs: the vendor's crate of message types is not open source and brings eighty others with it.

mod connection;
mod endpoint;
mod error;
mod message;
mod outcome;
mod session;

pub use connection::{Connection, Protocols};
pub use endpoint::Endpoint;
pub use error::{ConnectError, LostConnection, with_causes};
pub use message::{Call, Callee, DecodeError, Reply, ReplyFrame, ReplyResult, encode_call};
pub use outcome::{Fault, FaultCode, Outcome};
pub use session::Session;
