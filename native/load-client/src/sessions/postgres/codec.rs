//! One call and its reply, byte by byte (PostgreSQL's manual, "Message Formats").

use bytes::{BufMut as _, BytesMut};
use fair_bench_workload_transfer::Transfer;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::fault::ServerError;
use crate::outcome::{DeclineReason, FaultCode, Outcome};
use crate::sessions::codec::{Codec, Decoded};

/// The prepared call; parameters are source, target and amount.
const CALL: &str = "SELECT fair_bench.transfer($1, $2, $3)";
const STATEMENT: &str = "transfer";
const INT8_OID: u32 = 20;
const INT8_BYTES: i32 = 8;
const BINARY: i16 = 1;
/// Length of a parameter with its own length.
const PARAMETER_BYTES: usize = 12;

const MESSAGE_HEAD_BYTES: usize = 5;
/// Nothing that a transfer brings about is longer.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Parse and Sync.
pub(super) fn prepare(output: &mut BytesMut) -> std::io::Result<()> {
    frontend::parse(STATEMENT, CALL, [INT8_OID; 3], output)?;
    frontend::sync(output);
    Ok(())
}

pub(super) struct PostgresCodec {
    /// Bind with all parameters zero, Execute and Sync.
    call: Vec<u8>,
    /// Where in it the source's value is; target and amount follow.
    source_at: usize,
    progress: Progress,
}

/// How much of the oldest call's reply has been read.
enum Progress {
    Nothing,
    Bound,
    Returned(i16),
    /// Not yet an acknowledgement: the transaction commits at the Sync, and ReadyForQuery is the answer to that.
    Complete(i16),
    Failed(ServerError),
}

impl PostgresCodec {
    pub(super) fn new() -> std::io::Result<Self> {
        let mut output = BytesMut::new();
        let parameters = [0_i64; 3];
        let bound = frontend::bind(
            "",
            STATEMENT,
            [BINARY],
            parameters,
            |value, buffer| {
                buffer.put_i64(value);
                Ok(postgres_protocol::IsNull::No)
            },
            [BINARY],
            &mut output,
        );
        bound.map_err(|_| std::io::Error::other("the call cannot be bound"))?;
        // The last of the message: three parameters, then one format for the result.
        let source_at = output.len() - 4 - 3 * PARAMETER_BYTES + 4;
        debug_assert_eq!(output[source_at - 4..source_at], INT8_BYTES.to_be_bytes());
        frontend::execute("", 0, &mut output)?;
        frontend::sync(&mut output);
        Ok(Self { call: output.to_vec(), source_at, progress: Progress::Nothing })
    }

    /// The next message of a reply; an outcome when it was the last.
    #[inline]
    fn read(&mut self, kind: u8, body: &[u8], whole: &[u8]) -> Result<Option<Outcome>, String> {
        let progress = std::mem::replace(&mut self.progress, Progress::Nothing);
        self.progress = match (kind, progress) {
            (b'2', Progress::Nothing) => Progress::Bound,
            (b'D', Progress::Bound) => Progress::Returned(code_of_row(body)?),
            (b'C', Progress::Returned(code)) => Progress::Complete(code),
            (b'Z', Progress::Complete(code)) => return Ok(Some(outcome_of_code(code))),
            (b'Z', Progress::Failed(error)) => return Ok(Some(error.into_outcome())),
            (b'E', Progress::Failed(first)) => Progress::Failed(first),
            (b'E', _) => Progress::Failed(error_of(whole)?),
            // A notice, a notification, a parameter that was changed.
            (b'N' | b'A' | b'S', progress) => progress,
            (kind, _) => {
                let kind = char::from(kind);
                return Err(format!("the server sent a message of type {kind:?} where none belongs"));
            }
        };
        Ok(None)
    }
}

impl Codec for PostgresCodec {
    #[inline]
    fn encode(&mut self, transfer: &Transfer, output: &mut Vec<u8>) {
        let at = self.source_at;
        let call = &mut self.call;
        call[at..at + 8].copy_from_slice(&u64::from(transfer.source).to_be_bytes());
        let at = at + PARAMETER_BYTES;
        call[at..at + 8].copy_from_slice(&u64::from(transfer.target).to_be_bytes());
        let at = at + PARAMETER_BYTES;
        call[at..at + 8].copy_from_slice(&transfer.amount.to_be_bytes());
        output.extend_from_slice(call);
    }

    #[inline]
    fn decode(&mut self, input: &[u8]) -> Decoded {
        let mut taken = 0;
        while let [kind, a, b, c, d, ..] = input[taken..] {
            // The length counts itself.
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if !(4..=MESSAGE_BYTES_MAX).contains(&length) {
                return Decoded::Broken(format!("the server sent a message of {length} bytes"));
            }
            let Some(whole) = input[taken..].get(..length + 1) else { break };
            taken += whole.len();
            match self.read(kind, &whole[MESSAGE_HEAD_BYTES..], whole) {
                Ok(Some(outcome)) => return Decoded::Reply(taken, outcome),
                Ok(None) => {}
                Err(reason) => return Decoded::Broken(reason),
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

/// One column, a smallint in binary.
#[inline]
fn code_of_row(body: &[u8]) -> Result<i16, String> {
    match body {
        [0, 1, 0, 0, 0, 2, high, low] => Ok(i16::from_be_bytes([*high, *low])),
        _ => Err(format!("the transfer function returned {body:?}, which is no smallint")),
    }
}

#[inline]
fn outcome_of_code(code: i16) -> Outcome {
    match code {
        0 => Outcome::APPLIED,
        1 => Outcome::declined(DeclineReason::InsufficientFunds),
        2 => Outcome::declined(DeclineReason::MissingAccount),
        3 => Outcome::declined(DeclineReason::SameAccount),
        4 => Outcome::declined(DeclineReason::NonPositiveAmount),
        _ => Outcome::in_doubt(
            FaultCode::ProtocolError,
            format!("the transfer function returned {code}, which has no meaning"),
        ),
    }
}

fn error_of(message: &[u8]) -> Result<ServerError, String> {
    match Message::parse(&mut BytesMut::from(message)) {
        Ok(Some(Message::ErrorResponse(body))) => Ok(ServerError::of(body.fields())),
        _ => Err("the server sent an error that cannot be read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Verdict;

    const REPLY: &[u8] = b"2\0\0\0\x04D\0\0\0\x0c\0\x01\0\0\0\x02\0\0C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I";

    #[test]
    fn a_call_is_bind_execute_and_sync() {
        let mut output = Vec::new();
        let transfer = Transfer { source: 1, target: 0xffff_ffff, amount: 258 };
        PostgresCodec::new().unwrap().encode(&transfer, &mut output);
        let expected = [
            b"B\0\0\0\x3c\0transfer\0\0\x01\0\x01\0\x03".as_slice(),
            b"\0\0\0\x08\0\0\0\0\0\0\0\x01",
            b"\0\0\0\x08\0\0\0\0\xff\xff\xff\xff",
            b"\0\0\0\x08\0\0\0\0\0\0\x01\x02",
            b"\0\x01\0\x01",
            b"E\0\0\0\x09\0\0\0\0\0",
            b"S\0\0\0\x04",
        ]
        .concat();
        assert_eq!(output, expected);
    }

    #[test]
    fn replies_are_read_wherever_they_are_cut() {
        for cut in 0..=REPLY.len() {
            let mut codec = PostgresCodec::new().unwrap();
            let taken = match codec.decode(&REPLY[..cut]) {
                Decoded::More(taken) => taken,
                Decoded::Reply(taken, Outcome::APPLIED) if cut == REPLY.len() => {
                    assert_eq!(taken, REPLY.len());
                    continue;
                }
                _ => panic!("cut at {cut}"),
            };
            let Decoded::Reply(rest, Outcome::APPLIED) = codec.decode(&REPLY[taken..]) else {
                panic!("cut at {cut}")
            };
            assert_eq!(taken + rest, REPLY.len());
        }
    }

    #[test]
    fn an_error_is_answered_when_the_server_is_ready_again_or_gone() {
        let error = b"E\0\0\0\x25SERROR\0VERROR\0C40001\0Mtext\0Rwhere\0\0";
        let mut length = error.to_vec();
        length[4] = (error.len() - 1) as u8;
        let mut codec = PostgresCodec::new().unwrap();
        assert!(matches!(codec.decode(&length), Decoded::More(taken) if taken == error.len()));
        assert!(codec.last_words().is_none(), "an ERROR does not end a session");
        let mut codec = PostgresCodec::new().unwrap();
        let reply = [length.as_slice(), b"Z\0\0\0\x05I"].concat();
        let Decoded::Reply(_, outcome) = codec.decode(&reply) else { panic!("no reply") };
        let Verdict::Fault(fault) = outcome.verdict else { panic!("no fault") };
        assert_eq!((fault.code, fault.in_doubt), (FaultCode::SerializationFailure, false));
    }

    #[test]
    fn a_reply_in_another_order_breaks_the_connection() {
        for bytes in
            [b"C\0\0\0\x0dSELECT 1\0".as_slice(), b"Z\0\0\0\x05I", b"2\0\0\0\x03", b"D\0\0\0\x06\0\0"]
        {
            let mut codec = PostgresCodec::new().unwrap();
            assert!(matches!(codec.decode(bytes), Decoded::Broken(_)), "{bytes:?}");
        }
        let mut codec = PostgresCodec::new().unwrap();
        let null = b"2\0\0\0\x04D\0\0\0\x0a\0\x01\xff\xff\xff\xff";
        assert!(matches!(codec.decode(null), Decoded::Broken(_)));
    }
}
