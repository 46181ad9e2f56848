//! One call and its reply, byte by byte (PostgreSQL's manual, "Message Formats").

use std::sync::Arc;

use bytes::BytesMut;
use fair_bench_workload::{Operation, Returns, Values, Workload};
use postgres_protocol::message::backend::Message;

use super::call::Calls;
use super::fault::ServerError;
use super::reply::Rows;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::sessions::codec::{Codec, Decoded, Read};
use crate::sessions::session::{Spare, declined};

const MESSAGE_HEAD_BYTES: usize = 5;
/// No message of a call is longer.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
pub(super) struct PostgresCodec {
    calls: Calls,
    workload: Arc<Workload>,
    progress: Progress,
}

/// The state of the oldest call's reply.
enum Progress {
    Nothing,
    Bound,
    Returned(Outcome),
    Rows(Rows),
    /// Not yet an acknowledgement: the transaction commits at the Sync, which ReadyForQuery answers.
    Complete(Outcome),
    Failed(ServerError),
}

impl PostgresCodec {
    pub(super) fn new(workload: &Arc<Workload>) -> Self {
        Self { calls: Calls::new(workload), workload: Arc::clone(workload), progress: Progress::Nothing }
    }

    /// The next message of a reply; an outcome when it was the last.
    #[inline]
    fn read(
        &mut self,
        operation: u32,
        (kind, body): (u8, &[u8]),
        whole: &[u8],
        spare: &mut Spare,
    ) -> Read<Option<Outcome>> {
        let progress = std::mem::replace(&mut self.progress, Progress::Nothing);
        let operation = &self.workload.operations[operation as usize];
        self.progress = match (kind, progress) {
            (b'2', Progress::Nothing) if matches!(operation.returns, Returns::Nothing) => Progress::Bound,
            (b'2', Progress::Nothing) => Progress::Rows(Rows::of(operation, spare)),
            (b'D', Progress::Bound) => Progress::Returned(outcome_of_row(operation, body)?),
            (b'D', Progress::Rows(rows)) => Progress::Rows(rows.push(operation, body)?),
            (b'C', Progress::Rows(rows)) => Progress::Complete(rows.into_outcome(operation)),
            (b'C', Progress::Returned(outcome)) => Progress::Complete(outcome),
            // A statement that returns nothing.
            (b'C', Progress::Bound) => Progress::Complete(Outcome::APPLIED),
            (b'Z', Progress::Complete(outcome)) => return Ok(Some(outcome)),
            (b'Z', Progress::Failed(error)) => return Ok(Some(error.into_outcome())),
            (b'E', Progress::Failed(first)) => Progress::Failed(first),
            (b'E', _) => Progress::Failed(error_of(whole)?),
            // A notice, a notification, a parameter that was changed.
            (b'N' | b'A' | b'S', progress) => progress,
            (kind, _) => {
                let kind = char::from(kind);
                let what = format!("the server sent a message of type {kind:?} where none belongs");
                return Err(Error::broken(what).into());
            }
        };
        Ok(None)
    }
}

impl Codec for PostgresCodec {
    #[inline]
    fn encode(&mut self, values: &Values, output: &mut Vec<u8>) {
        self.calls.encode(&self.workload.operations[values.operation as usize], values, output);
    }

    #[inline]
    fn decode(&mut self, operation: u32, input: &[u8], spare: &mut Spare) -> Decoded {
        let mut taken = 0;
        while let [kind, a, b, c, d, ..] = input[taken..] {
            // The length counts itself.
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if !(4..=MESSAGE_BYTES_MAX).contains(&length) {
                let what = format!("the server sent a message of {length} bytes");
                return Decoded::Broken(Error::broken(what).into());
            }
            let Some(whole) = input[taken..].get(..length + 1) else { break };
            taken += whole.len();
            match self.read(operation, (kind, &whole[MESSAGE_HEAD_BYTES..]), whole, spare) {
                Ok(Some(outcome)) => return Decoded::Reply(taken, outcome),
                Ok(None) => {}
                Err(error) => return Decoded::Broken(error),
            }
        }
        Decoded::More(taken)
    }

    fn last_words(&mut self) -> Option<Outcome> {
        match std::mem::replace(&mut self.progress, Progress::Nothing) {
            Progress::Failed(error) if error.is_fatal() => Some(error.into_outcome()),
            _ => None,
        }
    }

    fn farewell(&self) -> &'static [u8] {
        b"X\0\0\0\x04"
    }
}

/// One column: null when the operation was applied, otherwise why it was declined.
#[inline]
fn outcome_of_row(operation: &Operation, body: &[u8]) -> Read<Outcome> {
    let [0, 1, a, b, c, d, value @ ..] = body else {
        let what = format!("the function {} returned {body:?}, which is not one column", operation.name);
        return Err(Error::broken(what).into());
    };
    if i32::from_be_bytes([*a, *b, *c, *d]) == -1 {
        return Ok(Outcome::APPLIED);
    }
    let reason = String::from_utf8_lossy(value);
    Ok(declined(operation, &reason))
}

fn error_of(message: &[u8]) -> Read<ServerError> {
    match Message::parse(&mut BytesMut::from(message)) {
        Ok(Some(Message::ErrorResponse(body))) => Ok(ServerError::of(body.fields())),
        _ => Err(Error::broken("the server sent an error that cannot be read").into()),
    }
}

#[cfg(test)]
#[path = "tests/codec.rs"]
mod tests;
