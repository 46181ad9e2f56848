//! The meaning of an operation's rows: the twin of `packages/connector-postgres/src/replies.ts`.

use fair_bench_workload::{Operation, Reply, Returns, Type};

use crate::outcome::{FaultCode, Outcome};
use crate::sessions::declined;

/// The rows of one call, as they arrive.
pub(super) enum Rows {
    /// The first decided.
    Decided(Outcome),
    Read(Reply),
}

impl Rows {
    /// Before the first row.
    pub(super) fn of(operation: &Operation) -> Self {
        match operation.returns {
            Returns::Nothing => Self::Decided(Outcome::APPLIED),
            _ => Self::Read(Reply::new(operation.columns.len())),
        }
    }

    /// Reads one more; the error says why the connection is useless from now on.
    pub(super) fn push(self, operation: &Operation, body: &[u8]) -> Result<Self, String> {
        let Self::Read(mut reply) = self else { return Ok(self) };
        let Operation { name, columns, .. } = operation;
        let mut values =
            values_of(body).ok_or_else(|| format!("the operation {name} returned a row of {body:?}"))?;
        if !operation.reasons.is_empty() && !values.is_empty() {
            let reason = values.remove(0).filter(|_| reply.rows().len() == 0);
            if let Some(reason) = reason {
                return Ok(Self::Decided(declined(operation, &String::from_utf8_lossy(reason))));
            }
        }
        values.resize(columns.len(), None);
        // A row without values means no row.
        let is_empty =
            values.iter().all(Option::is_none) && !matches!(operation.returns, Returns::Fields { .. });
        if !is_empty && put_row(columns, &values, &mut reply).is_none() {
            let text: Vec<_> = values.iter().map(|value| value.map(String::from_utf8_lossy)).collect();
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

/// The columns of a DataRow, each behind its length; −1 is null.
fn values_of(body: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let (count, mut rest) = body.split_first_chunk()?;
    let mut values = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk()?;
        match usize::try_from(i32::from_be_bytes(*length)) {
            Err(_) => {
                values.push(None);
                rest = after;
            }
            Ok(length) => {
                let (value, after) = after.split_at_checked(length)?;
                values.push(Some(value));
                rest = after;
            }
        }
    }
    Some(values)
}

/// `None` for null, and for a value of another type.
fn put_row(columns: &[Type], values: &[Option<&[u8]>], reply: &mut Reply) -> Option<()> {
    for (kind, value) in columns.iter().zip(values) {
        let value = (*value)?;
        match kind {
            Type::Key | Type::Int64 => reply.push(str::from_utf8(value).ok()?.parse::<i64>().ok()? as u64),
            Type::Bool => reply.push(u64::from(value == b"t")),
            Type::Text { .. } => reply.push_content(value),
            Type::Bytes { .. } => reply.push_content(&from_hex(value.strip_prefix(b"\\x")?)?),
        }
    }
    Some(())
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
    digits.chunks(2).map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

#[cfg(test)]
#[path = "tests/reply.rs"]
mod tests;
