//! The messages of subprotocols v2 and v3, as far as a client that only calls reducers meets them.
//!
//! BSATN: little-endian integers, a sum's variant as one byte, strings and arrays behind a `u32` length, a
//! product's fields one after the other. See crates/client-api-messages/src/websocket/{v2,v3}.rs of SpacetimeDB.

use bytes::{BufMut, BytesMut};
use thiserror::Error;

/// `ClientMessage::CallReducer`.
const CALL_REDUCER: u8 = 3;
/// `ClientMessage::CallProcedure`, whose fields are the same.
const CALL_PROCEDURE: u8 = 4;
/// `CallReducerFlags::Default`, `CallProcedureFlags::Default`.
const NO_FLAGS: u8 = 0;
/// Variant, request id, flags, and the lengths of the name and of the arguments.
const CALL_HEAD_BYTES: usize = 1 + 4 + 1 + 4 + 4;

/// The first byte of a server's frame: it is not compressed.
const UNCOMPRESSED: u8 = 0;
/// `ServerMessage::InitialConnection`.
const INITIAL_CONNECTION: u8 = 0;
/// `ServerMessage::ReducerResult`.
const REDUCER_RESULT: u8 = 6;
/// `ServerMessage::ProcedureResult`.
const PROCEDURE_RESULT: u8 = 7;
const IDENTITY_BYTES: usize = 32;
const CONNECTION_ID_BYTES: usize = 16;
const TIMESTAMP_BYTES: usize = 8;
const DURATION_BYTES: usize = 8;

/// What is called: a reducer returns nothing, a procedure a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A transaction by itself.
    Reducer,
    /// What returns something.
    Procedure,
}

/// A call of a reducer or a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// Which of the two it is.
    pub callee: Callee,
    /// Its name.
    pub name: &'a str,
    /// The BSATN of its arguments, one after the other.
    pub arguments: &'a [u8],
}

/// Appends one call, which is answered under `request_id`; says how many bytes it has.
pub fn encode_call(request_id: u32, call: Call<'_>, out: &mut BytesMut) -> usize {
    let Call { callee, name, arguments } = call;
    let length = CALL_HEAD_BYTES + name.len() + arguments.len();
    out.reserve(length);
    out.put_u8(match callee {
        Callee::Reducer => CALL_REDUCER,
        Callee::Procedure => CALL_PROCEDURE,
    });
    out.put_u32_le(request_id);
    out.put_u8(NO_FLAGS);
    out.put_u32_le(name.len() as u32);
    out.put_slice(name.as_bytes());
    out.put_u32_le(arguments.len() as u32);
    out.put_slice(arguments);
    length
}

/// What the server says about one call, in the bytes of the frame that it came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'frame> {
    /// The number that the call was sent under.
    pub request_id: u32,
    /// What became of it.
    pub result: ReplyResult<'frame>,
}

/// `ReducerOutcome`, without the return value of a reducer that returns nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyResult<'frame> {
    /// The transaction was committed.
    Ok,
    /// The BSATN of what a procedure returned.
    Returned(&'frame [u8]),
    /// The reducer returned an error, the BSATN of its error's type; nothing was committed.
    Err(&'frame [u8]),
    /// The server failed, or the reducer panicked: a text for people.
    InternalError(&'frame [u8]),
}

/// Why a frame is not one that the protocol allows here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The frame ends within a message.
    #[error("a frame ended within a message")]
    Truncated,
    /// It is compressed, though no compression was requested.
    #[error("a frame is compressed (tag {0}), though none was requested")]
    Compressed(u8),
    /// It has a message that only a subscription or another kind of call brings about.
    #[error("an unexpected message came (variant {0})")]
    UnexpectedMessage(u8),
    /// A reducer's outcome is unknown.
    #[error("a reducer's outcome is of the unknown variant {0}")]
    UnknownOutcome(u8),
    /// A result has rows, though nothing was subscribed to.
    #[error("a reducer's result has rows, though nothing was subscribed to")]
    UnexpectedRows,
    /// There is not one message in it.
    #[error("a frame without a message came")]
    Empty,
}

/// Reads a server's first frame: who we are to it, which is of no further use here.
pub(crate) fn decode_initial_connection(frame: &[u8]) -> Result<(), DecodeError> {
    let mut reader = Reader::of_frame(frame)?;
    match reader.byte()? {
        INITIAL_CONNECTION => {
            reader.bytes(IDENTITY_BYTES + CONNECTION_ID_BYTES)?;
            reader.prefixed()?;
            if reader.rest.is_empty() { Ok(()) } else { Err(DecodeError::UnexpectedMessage(reader.byte()?)) }
        }
        other => Err(DecodeError::UnexpectedMessage(other)),
    }
}

/// The replies of one frame, in the server's order. Ends with the first error.
#[derive(Debug)]
pub struct ReplyFrame<'frame> {
    reader: Reader<'frame>,
}

impl<'frame> ReplyFrame<'frame> {
    /// Reads the frame's head.
    ///
    /// # Errors
    ///
    /// When it is compressed or has no message.
    pub fn new(frame: &'frame [u8]) -> Result<Self, DecodeError> {
        let reader = Reader::of_frame(frame)?;
        if reader.rest.is_empty() { Err(DecodeError::Empty) } else { Ok(Self { reader }) }
    }
}

impl<'frame> Iterator for ReplyFrame<'frame> {
    type Item = Result<Reply<'frame>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.rest.is_empty() {
            return None;
        }
        let reply = self.reader.reply();
        if reply.is_err() {
            self.reader.rest = &[];
        }
        Some(reply)
    }
}

#[derive(Debug)]
struct Reader<'frame> {
    rest: &'frame [u8],
}

impl<'frame> Reader<'frame> {
    fn of_frame(frame: &'frame [u8]) -> Result<Self, DecodeError> {
        match frame.split_first() {
            Some((&UNCOMPRESSED, rest)) => Ok(Self { rest }),
            Some((&tag, _)) => Err(DecodeError::Compressed(tag)),
            None => Err(DecodeError::Empty),
        }
    }

    fn reply(&mut self) -> Result<Reply<'frame>, DecodeError> {
        match self.byte()? {
            REDUCER_RESULT => {}
            PROCEDURE_RESULT => return self.procedure_result(),
            other => return Err(DecodeError::UnexpectedMessage(other)),
        }
        let request_id = self.u32()?;
        self.bytes(TIMESTAMP_BYTES)?;
        let result = match self.byte()? {
            0 => {
                self.prefixed()?;
                match self.u32()? {
                    0 => ReplyResult::Ok,
                    _ => return Err(DecodeError::UnexpectedRows),
                }
            }
            1 => ReplyResult::Ok,
            2 => ReplyResult::Err(self.prefixed()?),
            3 => ReplyResult::InternalError(self.prefixed()?),
            other => return Err(DecodeError::UnknownOutcome(other)),
        };
        Ok(Reply { request_id, result })
    }

    fn procedure_result(&mut self) -> Result<Reply<'frame>, DecodeError> {
        let result = match self.byte()? {
            0 => ReplyResult::Returned(self.prefixed()?),
            1 => ReplyResult::InternalError(self.prefixed()?),
            other => return Err(DecodeError::UnknownOutcome(other)),
        };
        self.bytes(TIMESTAMP_BYTES + DURATION_BYTES)?;
        Ok(Reply { request_id: self.u32()?, result })
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&first, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(first)
    }

    fn u32(&mut self) -> Result<u32, DecodeError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*head))
    }

    fn bytes(&mut self, count: usize) -> Result<&'frame [u8], DecodeError> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(head)
    }

    fn prefixed(&mut self) -> Result<&'frame [u8], DecodeError> {
        let count = self.u32()? as usize;
        self.bytes(count)
    }
}

#[cfg(test)]
#[path = "tests/message.rs"]
mod tests;
