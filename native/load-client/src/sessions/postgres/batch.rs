//! Several operations by one call of the function `_batch`, which the twin's connector makes
//! (`packages/connector-postgres/src/batch.ts`): arrays in, rows with the place of their operation out.

use std::io;

use bytes::BytesMut;
use fair_bench_workload::{Argument, Returns, Type, Values, Workload};
use postgres_protocol::escape::escape_literal;
use postgres_protocol::message::frontend;

use super::call::{BINARY, EXECUTE_AND_SYNC, TEXT, array_oid_of, oid_of, put_scalar, statement_of};
use super::config::{CallOptions, Piece, Protocol};
use super::fault::{ServerError, error_of};
use super::reply::{MESSAGE_HEAD_BYTES, Row, Rows};
use super::text::{array_of, put_element, put_text};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::sessions::codec::Read;
use crate::sessions::session::{Spare, declined};

pub(super) const NAME: &str = "_batch";
/// A list's field as text.
const ARRAY_TEXT: Type = Type::Text { length: 0 };

/// Appends Parse for the call under a name.
pub(super) fn parse(
    name: &str,
    workload: &Workload,
    options: &CallOptions,
    output: &mut BytesMut,
) -> io::Result<()> {
    let oids: Vec<u32> = columns_of(workload).iter().map(|column| array_oid_of(column.kind())).collect();
    frontend::parse(name, statement_of(NAME, &options.statements)?, oids, output)
}

/// An array of the call.
#[derive(Clone, Copy)]
enum Column {
    /// The operations' numbers.
    Operations,
    Scalar {
        operation: u32,
        place: usize,
        kind: Type,
    },
    /// A field of a list, as the text of an array.
    Field {
        operation: u32,
        place: usize,
        field: usize,
        kind: Type,
    },
}

impl Column {
    const fn kind(self) -> Type {
        match self {
            Self::Operations => Type::Int64,
            Self::Scalar { kind, .. } => kind,
            Self::Field { .. } => ARRAY_TEXT,
        }
    }

    /// Whether the operation has a value in it.
    const fn has(self, values: &Values) -> bool {
        match self {
            Self::Operations => true,
            Self::Scalar { operation, .. } | Self::Field { operation, .. } => operation == values.operation,
        }
    }

    /// Appends the value behind its length.
    fn put(self, values: &Values, output: &mut Vec<u8>) {
        match self {
            Self::Operations => put_scalar(Type::Int64, values, u64::from(values.operation), output),
            Self::Scalar { place, kind, .. } => put_scalar(kind, values, values.word(place), output),
            Self::Field { place, field, kind, .. } => {
                let text = array_of(kind, values, (place, field));
                output.extend_from_slice(&(text.len() as u32).to_be_bytes());
                output.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn text(self, values: &Values) -> String {
        let mut text = String::new();
        match self {
            Self::Operations => text = values.operation.to_string(),
            Self::Scalar { place, kind, .. } => put_text(kind, values, values.word(place), &mut text),
            Self::Field { place, field, kind, .. } => text = array_of(kind, values, (place, field)),
        }
        text
    }
}

fn columns_of(workload: &Workload) -> Vec<Column> {
    let mut columns = vec![Column::Operations];
    for (operation, of) in (0..).zip(&workload.operations) {
        for (place, argument) in of.arguments.iter().enumerate() {
            match argument {
                Argument::Scalar(field) => {
                    columns.push(Column::Scalar { operation, place, kind: field.kind });
                }
                Argument::List { fields, .. } => {
                    let fields = fields.iter().enumerate();
                    columns.extend(fields.map(|(field, of)| Column::Field {
                        operation,
                        place,
                        field,
                        kind: of.kind,
                    }));
                }
            }
        }
    }
    columns
}

/// Encodes batches.
pub(super) struct BatchCall {
    columns: Vec<Column>,
    form: Form,
}

enum Form {
    /// A Bind up to its parameters, after a Parse unless it is prepared; and where the Bind's length is.
    Bound(Vec<u8>, usize),
    Simple(Vec<Piece>),
}

impl BatchCall {
    /// The error names what is missing in the plan.
    pub(super) fn new(workload: &Workload, options: &CallOptions) -> Result<Self> {
        let columns = columns_of(workload);
        if options.protocol == Protocol::Simple {
            let missing = || Error::plan("plan.endpoint.options.texts", "a batch has no text");
            let pieces = options.texts.get(NAME).ok_or_else(missing)?.clone();
            return Ok(Self { columns, form: Form::Simple(pieces) });
        }
        let mut head = BytesMut::new();
        let name = if options.protocol == Protocol::Extended { "" } else { NAME };
        if options.protocol == Protocol::Extended {
            parse(name, workload, options, &mut head)?;
        }
        let length_at = head.len() + 1;
        head.extend_from_slice(b"B\0\0\0\0\0");
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b"\0");
        head.extend_from_slice(BINARY);
        head.extend_from_slice(&(columns.len() as u16).to_be_bytes());
        Ok(Self { columns, form: Form::Bound(head.to_vec(), length_at) })
    }

    /// Appends a call.
    pub(super) fn encode(&self, batch: &[Values], output: &mut Vec<u8>) {
        let begin = output.len();
        let (length_at, end): (usize, &[u8]) = match &self.form {
            Form::Bound(head, length_at) => {
                output.extend_from_slice(head);
                self.columns.iter().for_each(|column| put_array(*column, batch, output));
                output.extend_from_slice(TEXT);
                (begin + length_at, EXECUTE_AND_SYNC)
            }
            Form::Simple(pieces) => {
                output.extend_from_slice(b"Q\0\0\0\0");
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => output.extend_from_slice(text.as_bytes()),
                        Piece::Parameter(number) => put_literal(self.columns[*number], batch, output),
                    }
                }
                output.push(0);
                (begin + 1, b"")
            }
        };
        // The length counts itself, and not the message's kind.
        let length = (output.len() - length_at) as u32;
        output[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
        output.extend_from_slice(end);
    }
}

/// The values of a column: an array of one dimension, or of none when there is no value.
fn put_array(column: Column, batch: &[Values], output: &mut Vec<u8>) {
    let begin = output.len();
    let count = batch.iter().filter(|values| column.has(values)).count() as u32;
    // Its length, dimensions, no nulls, the elements' type.
    for word in [0, u32::from(count > 0), 0, oid_of(column.kind())] {
        output.extend_from_slice(&word.to_be_bytes());
    }
    if count > 0 {
        output.extend_from_slice(&count.to_be_bytes());
        output.extend_from_slice(&1_u32.to_be_bytes());
    }
    batch.iter().filter(|values| column.has(values)).for_each(|values| column.put(values, output));
    let length = (output.len() - begin - 4) as u32;
    output[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
}

fn put_literal(column: Column, batch: &[Values], output: &mut Vec<u8>) {
    let mut array = String::from("{");
    for (place, values) in batch.iter().filter(|values| column.has(values)).enumerate() {
        put_element(&column.text(values), place == 0, &mut array);
    }
    array.push('}');
    output.extend_from_slice(escape_literal(&array).as_bytes());
}

/// The state of the reply to the oldest batch.
#[derive(Default)]
pub(super) struct BatchReply {
    /// The rows of each operation that has some.
    rows: Vec<Option<Rows>>,
    failed: Option<ServerError>,
}

impl BatchReply {
    /// The next message of a reply; the outcomes when it was the last.
    pub(super) fn read(
        &mut self,
        (workload, operations): (&Workload, &[u32]),
        (kind, whole): (u8, &[u8]),
        spare: &mut Spare,
    ) -> Read<Option<Vec<Outcome>>> {
        let operation_of = |place: usize| &workload.operations[operations[place] as usize];
        match kind {
            b'D' => {
                let body = &whole[MESSAGE_HEAD_BYTES..];
                let broken = || Error::broken(format!("a batch returned a row of {body:?}"));
                let row = Row::of(body).ok_or_else(broken)?;
                let place = row.clone().last().flatten().and_then(|text| str::from_utf8(text).ok());
                let place: usize = place.and_then(|text| text.parse().ok()).ok_or_else(broken)?;
                if place >= operations.len() {
                    return Err(broken().into());
                }
                self.rows.resize_with(operations.len(), || None);
                let operation = operation_of(place);
                self.rows[place] = Some(match (&operation.returns, self.rows[place].take()) {
                    (Returns::Nothing, _) => match row.clone().next().flatten() {
                        Some(reason) => Rows::Decided(declined(operation, &String::from_utf8_lossy(reason))),
                        None => Rows::Decided(Outcome::APPLIED),
                    },
                    (_, rows) => rows.unwrap_or_else(|| Rows::of(operation, spare)).push(operation, body)?,
                });
            }
            b'E' if self.failed.is_none() => self.failed = Some(error_of(whole)?),
            b'Z' => {
                let mut rows = std::mem::take(&mut self.rows);
                if let Some(error) = self.failed.take() {
                    return Ok(Some(vec![error.into_outcome(); operations.len()]));
                }
                rows.resize_with(operations.len(), || None);
                let read = rows.into_iter().enumerate().map(|(place, rows)| {
                    let operation = operation_of(place);
                    rows.unwrap_or_else(|| Rows::of(operation, spare)).into_outcome(operation)
                });
                return Ok(Some(read.collect()));
            }
            b'1' | b'2' | b'T' | b'C' | b'E' | b'N' | b'A' | b'S' => {}
            kind => {
                let kind = char::from(kind);
                let what = format!("the server sent a message of type {kind:?} where none belongs");
                return Err(Error::broken(what).into());
            }
        }
        Ok(None)
    }

    /// As `Codec::last_words`.
    pub(super) fn last_words(&mut self) -> Option<Outcome> {
        self.failed.take().filter(ServerError::is_fatal).map(ServerError::into_outcome)
    }
}
