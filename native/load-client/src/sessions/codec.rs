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

/// The front of the input, where the oldest request is a batch.
pub(crate) enum DecodedBatch {
    /// A reply of this many bytes, with an outcome for each operation.
    Reply(usize, Vec<Outcome>),
    /// As `Decoded`.
    More(usize),
    /// As `Decoded`.
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
    /// Appends a batch: its operations as one request.
    fn encode_batch(&mut self, batch: &[Values], output: &mut Vec<u8>);
    /// The same for a batch of these operations.
    fn decode_batch(&mut self, operations: &[u32], input: &[u8], spare: &mut Spare) -> DecodedBatch;
    /// Whether the server may undo a request and ask for it again.
    const UNDOES: bool = false;
    /// Whether a request that ended so was certainly undone, and is to be sent again.
    fn is_undone(&self, outcome: &Outcome) -> bool {
        let _ = outcome;
        false
    }
    /// The server's answer to the oldest request if the connection ended without a complete reply.
    fn last_words(&mut self) -> Option<Outcome>;
    /// Sent before a connection on which nothing is outstanding is closed.
    fn farewell(&self) -> &'static [u8];
}
