//! Replies as JSON, read into a reply without anything in between: the twin of `packages/rpc/src/codec/reply.ts`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Operation, Reply, Returns, Type};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer};

use crate::sessions::session::Spare;

/// `{"rows":[[…],…]}` or `{"fields":[…]}`, as the operation returns; `None` for anything else.
pub(super) fn parse_reply(operation: &Operation, json: &str, spare: &mut Spare) -> Option<Box<Reply>> {
    let mut reply = spare.take(operation.columns.len());
    let mut from = serde_json::Deserializer::from_str(json);
    let read = Body { operation, reply: &mut reply }.deserialize(&mut from);
    read.is_ok().then_some(reply)
}

/// The object with one member.
struct Body<'r> {
    operation: &'r Operation,
    reply: &'r mut Reply,
}

/// Rows in an array.
struct Rows<'r>(Body<'r>);

/// A row in an array.
struct Row<'r> {
    kinds: &'r [Type],
    reply: &'r mut Reply,
}

/// A value of a row.
struct Cell<'r> {
    kind: Type,
    reply: &'r mut Reply,
}

impl<'de> DeserializeSeed<'de> for Body<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("rows or fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let is_fields = matches!(self.operation.returns, Returns::Fields { .. });
        let name = if is_fields { "fields" } else { "rows" };
        if members.next_key::<&str>()? != Some(name) {
            return Err(A::Error::custom("another member"));
        }
        if is_fields {
            let Self { operation, reply } = self;
            members.next_value_seed(Row { kinds: &operation.columns, reply })?;
        } else {
            members.next_value_seed(Rows(self))?;
        }
        match members.next_key::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom("one member too many")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let Self(Body { operation, reply }) = self;
        let mut count = 0;
        while rows.next_element_seed(Row { kinds: &operation.columns, reply: &mut *reply })?.is_some() {
            count += 1;
        }
        if count <= operation.returns.rows_max() { Ok(()) } else { Err(A::Error::custom("too many rows")) }
    }
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        let Self { kinds, reply } = self;
        for kind in kinds {
            let cell = cells.next_element_seed(Cell { kind: *kind, reply: &mut *reply })?;
            cell.ok_or_else(|| A::Error::custom("a column is missing"))?;
        }
        match cells.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom("one column too many")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.kind {
            Type::Key => {
                // 4.0 is whole.
                let number = f64::deserialize(from)?;
                let is_whole = number.fract() == 0.0;
                is_whole
                    .then(|| self.reply.push(number as i64 as u64))
                    .ok_or_else(|| D::Error::custom("no key"))
            }
            Type::Bool => bool::deserialize(from).map(|flag| self.reply.push(u64::from(flag))),
            Type::Int64 | Type::Text { .. } | Type::Bytes { .. } => from.deserialize_str(self),
        }
    }
}

impl Visitor<'_> for Cell<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} as a string", self.kind)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let Self { kind, reply } = self;
        match kind {
            Type::Int64 => text.parse::<i64>().map(|number| reply.push(number as u64)).map_err(E::custom),
            Type::Bytes { .. } => {
                reply.push_written(|bytes| STANDARD.decode_vec(text, bytes).map_err(E::custom))
            }
            _ => {
                reply.push_content(text.as_bytes());
                Ok(())
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/reply.rs"]
mod tests;
