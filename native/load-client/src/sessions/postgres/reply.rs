//! The meaning of an operation's rows: the twin of `packages/connector-postgres/src/replies.ts`.

use fair_bench_workload::{Operation, Reply, Returns, Type};

use crate::error::Error;
use crate::outcome::{FaultCode, Outcome};
use crate::sessions::codec::Read;
use crate::sessions::session::{Spare, declined};

/// A message's kind and length.
pub(super) const MESSAGE_HEAD_BYTES: usize = 5;

/// The rows of one call, as they arrive.
pub(super) enum Rows {
    /// The first decided.
    Decided(Outcome),
    Read(Box<Reply>),
}

impl Rows {
    /// Before the first row.
    pub(super) fn of(operation: &Operation, spare: &mut Spare) -> Self {
        match operation.returns {
            Returns::Nothing => Self::Decided(Outcome::APPLIED),
            _ => Self::Read(spare.take(operation.columns.len())),
        }
    }

    /// Reads one more; the error says why the connection is useless from now on.
    pub(super) fn push(self, operation: &Operation, body: &[u8]) -> Read<Self> {
        let Self::Read(mut reply) = self else { return Ok(self) };
        let Operation { name, columns, reasons, .. } = operation;
        let Some(mut values) = Row::of(body) else {
            return Err(Error::broken(format!("the operation {name} returned a row of {body:?}")).into());
        };
        if !reasons.is_empty()
            && let Some(Some(reason)) = values.next()
            && reply.rows().len() == 0
        {
            return Ok(Self::Decided(declined(operation, &String::from_utf8_lossy(reason))));
        }
        let values = values.chain(std::iter::repeat(None)).take(columns.len());
        // A row without values means no row.
        let is_empty = values.clone().all(|value| value.is_none())
            && !matches!(operation.returns, Returns::Fields { .. });
        if !is_empty && put_row(columns, values.clone(), &mut reply).is_none() {
            let text: Vec<_> = values.map(|value| value.map(String::from_utf8_lossy)).collect();
            let what = format!("the operation {name} returned {text:?}");
            return Ok(Self::Decided(Outcome::in_doubt(FaultCode::ProtocolError, what)));
        }
        Ok(Self::Read(reply))
    }

    /// After the last.
    pub(super) fn into_outcome(self, operation: &Operation) -> Outcome {
        match self {
            Self::Decided(outcome) => outcome,
            Self::Read(reply)
                if reply.rows().len() == 0 && matches!(operation.returns, Returns::Fields { .. }) =>
            {
                let what = format!("the operation {} returned no fields", operation.name);
                Outcome::in_doubt(FaultCode::ProtocolError, what)
            }
            Self::Read(reply) => Outcome::replied(reply),
        }
    }
}

/// The values of a DataRow, each behind its length; −1 is null.
#[derive(Clone)]
pub(super) struct Row<'a> {
    left: u16,
    rest: &'a [u8],
}

impl<'a> Row<'a> {
    /// `None` when the row ends within a value.
    pub(super) fn of(body: &'a [u8]) -> Option<Self> {
        let (count, rest) = body.split_first_chunk()?;
        let row = Self { left: u16::from_be_bytes(*count), rest };
        let is_whole = row.clone().count() == usize::from(row.left);
        is_whole.then_some(row)
    }
}

impl<'a> Iterator for Row<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (length, rest) = self.rest.split_first_chunk()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            self.rest = rest;
            return Some(None);
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(value))
    }
}

/// `None` for null, and for a value of another type.
fn put_row<'a>(
    columns: &[Type],
    values: impl Iterator<Item = Option<&'a [u8]>>,
    reply: &mut Reply,
) -> Option<()> {
    for (kind, value) in columns.iter().zip(values) {
        let value = value?;
        match kind {
            Type::Key | Type::Int64 => reply.push(str::from_utf8(value).ok()?.parse::<i64>().ok()? as u64),
            Type::Bool => reply.push(u64::from(value == b"t" || value == b"true")),
            Type::Text { .. } => reply.push_content(value),
            Type::Bytes { .. } => {
                let digits = value.strip_prefix(b"\\x")?;
                reply.push_written(|bytes| put_hex(digits, bytes).ok_or(())).ok()?;
            }
        }
    }
    Some(())
}

fn put_hex(digits: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
    for pair in digits.chunks(2) {
        bytes.push(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?);
    }
    Some(())
}

#[cfg(test)]
#[path = "tests/reply.rs"]
mod tests;
