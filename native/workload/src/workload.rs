//! A workload with known numbers: what a load client knows of it.

use crate::description::Type;
use crate::values::Values;

/// A workload with known numbers.
#[derive(Debug)]
pub struct Workload {
    /// As in `--workload`.
    pub name: String,
    /// Decides every draw.
    pub seed: u64,
    pub(crate) tables: Vec<Table>,
    /// By number: their place in the description.
    pub operations: Vec<Operation>,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// Seeded rows.
    pub(crate) rows: u64,
    pub(crate) key: Vec<String>,
    pub(crate) extents: Vec<u64>,
    pub(crate) columns: Vec<Column>,
    pub(crate) written: bool,
    /// Whether an operation inserts rows of it.
    pub(crate) inserted: bool,
    /// Whether it matters when: operations that are drawn return rows of it, or its columns are set, or rules look at it.
    pub(crate) timed: bool,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) seed: Draw,
    /// Whether an effect sets it, or adds to it.
    pub(crate) set: bool,
    pub(crate) added: bool,
}

/// What a load client knows of an operation.
#[derive(Debug)]
pub struct Operation {
    /// The name of the procedure, reducer or path.
    pub name: String,
    /// Its weight among the others.
    pub weight: u32,
    /// In the order of drawing and sending.
    pub arguments: Vec<Argument>,
    /// Why it may be declined, each reason once; a reason's number is its place here.
    pub reasons: Vec<String>,
    /// Whether it has an effect.
    pub writes: bool,
    /// Whether the times of its outcomes are judged: it sets columns, or reads or declines by written ones.
    pub timed: bool,
    /// What an applied outcome carries.
    pub returns: Returns,
    /// The source of its returned rows.
    pub(crate) reads: Option<Read>,
}

#[derive(Debug)]
pub(crate) struct Read {
    /// The table's number.
    pub(crate) table: usize,
    pub(crate) rows: ReadRows,
}

#[derive(Debug)]
pub(crate) enum ReadRows {
    /// The one of this key, or none.
    Row(Vec<Get>),
    /// In the order of the key.
    Scan { from: Vec<Get>, prefix: Vec<Get>, descending: bool, limit: Get, complete: bool },
    /// Whatever the server chooses.
    Chosen,
}

/// A value of the arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Get {
    Constant(i64),
    Argument(usize),
    /// Of the first record of a list.
    Field(usize, usize),
}

impl Get {
    pub(crate) fn of(self, values: &Values) -> i64 {
        match self {
            Self::Constant(value) => value,
            Self::Argument(place) => values.word(place) as i64,
            Self::Field(place, field) => {
                let list = values.list(place);
                if list.is_empty() { 0 } else { list.word(field, 0) as i64 }
            }
        }
    }
}

impl Operation {
    /// A reason's number.
    #[must_use]
    pub fn reason(&self, name: &str) -> Option<u16> {
        self.reasons.iter().position(|reason| reason == name).map(|number| number as u16)
    }
}

/// An argument.
#[derive(Debug)]
pub enum Argument {
    /// One value.
    Scalar(Field),
    /// Records.
    List {
        /// Its name.
        name: String,
        /// The fewest records.
        min: u32,
        /// The most records.
        max: u32,
        /// What each record has.
        fields: Vec<Field>,
    },
}

/// A value that is drawn.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    pub(crate) generator: Draw,
}

impl Field {
    pub(crate) const fn is_content(&self) -> bool {
        matches!(self.generator, Draw::Content)
    }

    pub(crate) const fn is_distinct(&self) -> bool {
        matches!(self.generator, Draw::Uniform { distinct: true, .. } | Draw::Zipf { distinct: true, .. })
    }
}

/// The columns of returned rows or the returned fields: names and types.
pub type Columns = Vec<(String, Type)>;

/// What an applied outcome carries.
#[derive(Debug)]
pub enum Returns {
    /// No reply.
    Nothing,
    /// Rows of these columns, the key's first.
    Rows {
        /// Names and types.
        columns: Columns,
        /// Whether there is at most one.
        is_single: bool,
    },
    /// One value of each.
    Fields(Columns),
}

/// A generator with known numbers.
#[derive(Clone, Debug)]
pub(crate) enum Draw {
    Constant(u64),
    Uniform { range: Range, not: Option<String>, distinct: bool },
    Zipf { range: Range, exponent: f64, scramble: bool, not: Option<String>, distinct: bool },
    YcsbZipf { range: Range, exponent: f64 },
    Latest { table: u32, rows: u64, exponent: f64 },
    Fresh { table: u32, rows: u64 },
    Operation,
    Content,
    Choice { options: u32 },
}

/// `min` … `min + count − 1`; the table whose keys they are, if they are keys of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) table: Option<u32>,
    pub(crate) min: i64,
    pub(crate) count: u64,
}
