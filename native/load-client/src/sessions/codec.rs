//! A protocol from the view of a session: its requests and replies as bytes, without any input or output.

use fair_bench_workload::Values;

use super::session::Spare;
use crate::error::Error;
use crate::outcome::Outcome;

/// The front of the input.
pub(crate) enum Decoded {
    /// A reply of this many bytes.
    Reply(usize, Outcome),
    /// This many bytes were taken; the reply is incomplete.
    More(usize),
    /// Invalid bytes; the connection is useless from now on.
    Broken(Box<Error>),
}

/// What reading gives. Boxed: the common result stays small.
pub(crate) type Read<T> = Result<T, Box<Error>>;

/// The requests and replies of a protocol, without any input or output.
pub(crate) trait Codec: 'static {
    /// Appends a request.
    fn encode(&mut self, values: &Values, output: &mut Vec<u8>);
    /// Reads the front of the received bytes; `operation` is the number of the oldest request's, `spare` has
    /// its reply.
    fn decode(&mut self, operation: u32, input: &[u8], spare: &mut Spare) -> Decoded;
    /// The server's answer to the oldest request if the connection ended without a complete reply.
    fn last_words(&mut self) -> Option<Outcome>;
    /// Sent before a connection on which nothing is outstanding is closed.
    fn farewell(&self) -> &'static [u8];
}
