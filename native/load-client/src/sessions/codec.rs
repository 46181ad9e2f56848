//! What a protocol is to a session: its requests and replies as bytes, without any input or output.

use fair_bench_workload::Values;

use crate::outcome::Outcome;

/// What the front of the input holds.
pub(crate) enum Decoded {
    /// A reply, which ends after so many bytes.
    Reply(usize, Outcome),
    /// So many bytes were taken; the reply is not complete.
    More(usize),
    /// What cannot be understood; the connection is of no more use.
    Broken(String),
}

/// The requests and replies of a protocol, without any input or output.
pub(crate) trait Codec: 'static {
    /// Appends a request.
    fn encode(&mut self, values: &Values, output: &mut Vec<u8>);
    /// Reads the front of what has arrived; `operation` is the number of the oldest request's.
    fn decode(&mut self, operation: u32, input: &[u8]) -> Decoded;
    /// What the server said of the oldest request before the connection ended without a whole reply.
    fn last_words(&mut self) -> Option<Outcome>;
    /// Sent before a connection on which nothing is outstanding is closed.
    fn farewell(&self) -> &'static [u8];
}
