//! One call and its reply, byte by byte (PostgreSQL's manual, "Message Formats").

use std::sync::Arc;

use fair_bench_workload::{Operation, Returns, Values, Workload};

use super::batch::{BatchCall, BatchReply};
use super::call::Calls;
use super::config::{CallOptions, Protocol};
use super::fault::{ServerError, error_of};
use super::reply::{MESSAGE_HEAD_BYTES, Rows};
use crate::error::{Error, Result};
use crate::outcome::{FaultCode, Outcome, Verdict};
use crate::sessions::codec::{Codec, Decoded, DecodedBatch, Read};
use crate::sessions::session::{Spare, declined};

/// No message of a call is longer.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
pub(super) struct PostgresCodec {
    calls: Calls,
    protocol: Protocol,
    workload: Arc<Workload>,
    progress: Progress,
    batch: Option<BatchCall>,
    batch_reply: BatchReply,
}

/// The state of the oldest call's reply.
enum Progress {
    Nothing,
    /// Only where a call parses its statement.
    Parsed,
    Bound,
    Returned(Outcome),
    Rows(Rows),
    /// Not yet an acknowledgement: the transaction commits at the Sync, which ReadyForQuery answers.
    Complete(Outcome),
    Failed(ServerError),
}

impl PostgresCodec {
    pub(super) fn new(workload: &Arc<Workload>, options: &CallOptions) -> Result<Self> {
        Ok(Self {
            calls: Calls::new(workload, options)?,
            protocol: options.protocol,
            workload: Arc::clone(workload),
            progress: Progress::Nothing,
            batch: if options.batches { Some(BatchCall::new(workload, options)?) } else { None },
            batch_reply: BatchReply::default(),
        })
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
            (b'2', Progress::Nothing) if self.protocol == Protocol::Prepared => begun(operation, spare),
            (b'1', Progress::Nothing) if self.protocol == Protocol::Extended => Progress::Parsed,
            (b'2', Progress::Parsed) => begun(operation, spare),
            (b'T', Progress::Nothing) if self.protocol == Protocol::Simple => begun(operation, spare),
            // A statement without rows, which a simple query does not describe.
            (b'C', Progress::Nothing) if self.protocol == Protocol::Simple => {
                Progress::Complete(Rows::of(operation, spare).into_outcome(operation))
            }
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
        loop {
            let (kind, whole) = match message_at(&input[taken..]) {
                Ok(Some(message)) => message,
                Ok(None) => return Decoded::More(taken),
                Err(error) => return Decoded::Broken(error),
            };
            taken += whole.len();
            match self.read(operation, (kind, &whole[MESSAGE_HEAD_BYTES..]), whole, spare) {
                Ok(Some(outcome)) => return Decoded::Reply(taken, outcome),
                Ok(None) => {}
                Err(error) => return Decoded::Broken(error),
            }
        }
    }

    fn encode_batch(&mut self, batch: &[Values], output: &mut Vec<u8>) {
        if let Some(call) = &self.batch {
            call.encode(batch, output);
        }
    }

    fn decode_batch(&mut self, operations: &[u32], input: &[u8], spare: &mut Spare) -> DecodedBatch {
        let mut taken = 0;
        loop {
            let (kind, whole) = match message_at(&input[taken..]) {
                Ok(Some(message)) => message,
                Ok(None) => return DecodedBatch::More(taken),
                Err(error) => return DecodedBatch::Broken(error),
            };
            taken += whole.len();
            let Self { batch_reply, workload, .. } = self;
            match batch_reply.read((workload, operations), (kind, whole), spare) {
                Ok(Some(outcomes)) => return DecodedBatch::Reply(taken, outcomes),
                Ok(None) => {}
                Err(error) => return DecodedBatch::Broken(error),
            }
        }
    }

    const UNDOES: bool = true;

    fn is_undone(&self, outcome: &Outcome) -> bool {
        let Verdict::Fault(fault) = &outcome.verdict else { return false };
        !fault.in_doubt && matches!(fault.code, FaultCode::Deadlock | FaultCode::SerializationFailure)
    }

    fn last_words(&mut self) -> Option<Outcome> {
        if let Some(outcome) = self.batch_reply.last_words() {
            return Some(outcome);
        }
        match std::mem::replace(&mut self.progress, Progress::Nothing) {
            Progress::Failed(error) if error.is_fatal() => Some(error.into_outcome()),
            _ => None,
        }
    }

    fn farewell(&self) -> &'static [u8] {
        b"X\0\0\0\x04"
    }
}

/// The message at the front of the input, with its kind; `None` if it is incomplete.
#[inline]
fn message_at(input: &[u8]) -> Read<Option<(u8, &[u8])>> {
    let [kind, a, b, c, d, ..] = *input else { return Ok(None) };
    // The length counts itself.
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if !(4..=MESSAGE_BYTES_MAX).contains(&length) {
        return Err(Error::broken(format!("the server sent a message of {length} bytes")).into());
    }
    Ok(input.get(..=length).map(|whole| (kind, whole)))
}

/// Before the rows of a reply.
fn begun(operation: &Operation, spare: &mut Spare) -> Progress {
    if matches!(operation.returns, Returns::Nothing) {
        return Progress::Bound;
    }
    Progress::Rows(Rows::of(operation, spare))
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

#[cfg(test)]
#[path = "tests/codec.rs"]
mod tests;
