//! Reducer calls over the WebSocket protocol of SpacetimeDB 2.x, as many at a time as the caller likes.
//!
//! [`Connection`] is one WebSocket to one database. Calls are numbered by the caller, written together where
//! they are ready together, and each is answered by a [`Reply`] that carries its number. Nothing is subscribed
//! to, nothing is compressed, and a connection that was lost is not opened again by itself.
//!
//! The messages are the protocol's own BSATN encoding, written here for the one call and the two answers that
//! this needs: the vendor's crate of message types is not open source and brings ninety others with it.

#![warn(missing_docs)]

mod connection;
mod endpoint;
mod error;
mod message;
mod verdict;

pub use connection::{Connection, Protocols};
pub use endpoint::Endpoint;
pub use error::{ConnectError, LostConnection};
pub use message::{DecodeError, Reply, ReplyFrame, ReplyResult, Transfer, encode_transfer};
pub use verdict::{DeclineReason, Verdict};
