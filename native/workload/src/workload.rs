//! A workload in a trial plan, every number of which is known: the twin of `packages/workload/src/resolved.ts`. Tables,
//! columns, operations and arguments are known by their places; further fields are for the other twin.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::error::WorkloadError;

/// What a load client knows of a workload.
#[derive(Debug, Deserialize)]
pub struct Workload {
    /// As in `--workload`.
    pub name: String,
    /// Decides every draw.
    #[serde(deserialize_with = "decimal")]
    pub seed: u64,
    pub(crate) tables: Vec<Table>,
    /// By number: their place in the description.
    pub operations: Vec<Operation>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Table {
    pub(crate) name: String,
    /// How many values each column of the key takes in seeded rows.
    pub(crate) extents: Vec<u64>,
    /// Seeded rows.
    pub(crate) rows: u64,
    /// How many of the first columns form the key.
    pub(crate) key_columns: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) written: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
    pub(crate) seed: Generator,
    /// Whether an effect sets it, or adds to it.
    pub(crate) set: bool,
    pub(crate) added: bool,
}

/// The type of a column, an argument or a field of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Type {
    /// An unsigned 32-bit integer.
    Key,
    /// A signed 64-bit integer.
    Int64,
    /// True or false.
    Bool,
    /// ASCII of exactly so many characters.
    Text {
        /// Characters.
        length: u32,
    },
    /// Exactly so many bytes.
    Bytes {
        /// Bytes.
        length: u32,
    },
}

/// An operation.
#[derive(Debug, Deserialize)]
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
    /// When the times of its outcomes are logged.
    pub timed: Timed,
    /// What an applied outcome carries.
    pub returns: Returns,
    /// The types of a returned row's columns, or of the returned fields; nothing where nothing is returned.
    #[serde(skip)]
    pub columns: Vec<Type>,
}

/// When the times of an operation's outcomes are logged.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Timed {
    /// A trial without them is void.
    Always,
    /// While at least half of the bound of the log is left to what must be logged.
    WhileRoom,
    /// They do not matter.
    Never,
}

/// What an applied outcome carries.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Returns {
    /// No reply.
    Nothing,
    /// One value of each.
    Fields {
        /// Names and types.
        fields: Vec<ReturnedField>,
    },
    /// Rows of such, as many as the operation says.
    Records {
        /// Names and types.
        fields: Vec<ReturnedField>,
    },
    /// The row of this key, or none.
    Row {
        /// The table's number.
        table: usize,
        /// By column of the key, or of the column `by`.
        keys: Vec<Source>,
        /// The column by which it is found, where that is not its key.
        by: Option<usize>,
    },
    /// Rows in the order of the key.
    Scan {
        /// The table's number.
        table: usize,
        /// The key at which it begins.
        from: Vec<Source>,
        /// The first columns of all keys.
        prefix: Vec<Source>,
        /// In which order.
        descending: bool,
        /// The most rows.
        limit: Source,
        /// Whether no row may be left out.
        complete: bool,
    },
    /// Rows that the server chooses.
    ChosenRows {
        /// The table's number.
        table: usize,
    },
}

/// A field of a reply.
#[derive(Debug, Deserialize)]
pub struct ReturnedField {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
}

/// Where a value of an operation's arguments is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Source {
    /// Nowhere: it is always the same.
    Constant {
        /// The value.
        value: i64,
    },
    /// A scalar argument.
    Argument {
        /// Its place.
        argument: usize,
    },
    /// A field of a list's first record.
    Field {
        /// The list's place.
        argument: usize,
        /// The field's place.
        field: usize,
    },
}

/// An argument.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
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
#[derive(Debug, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    pub(crate) generator: Generator,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Generator {
    Constant {
        /// As a slot holds it.
        #[serde(deserialize_with = "word")]
        value: u64,
    },
    Uniform {
        #[serde(flatten)]
        over: Over,
        not: Option<usize>,
        distinct: bool,
    },
    Zipf {
        #[serde(flatten)]
        over: Over,
        exponent: f64,
        scramble: bool,
        not: Option<usize>,
        distinct: bool,
    },
    YcsbZipf {
        #[serde(flatten)]
        over: Over,
        exponent: f64,
    },
    Latest {
        table: usize,
        rows: u64,
        exponent: f64,
    },
    Fresh {
        table: usize,
        rows: u64,
    },
    Operation,
    Content,
    /// Of a column: a function that this twin does not have gives its seeded values.
    Code,
    /// A bool: true in so many of a hundred.
    Chance {
        percent: u64,
    },
    /// The session's own one.
    Session {
        #[serde(flatten)]
        over: Over,
    },
    /// TPC-C's `NURand`, clause 2.1.6.
    Nurand {
        #[serde(flatten)]
        over: Over,
        a: u64,
        c: u64,
    },
    /// The value of an argument where a flag is true, else another one.
    Either {
        #[serde(flatten)]
        over: Over,
        flag: usize,
        #[serde(rename = "isField")]
        is_field: bool,
        same: usize,
        differs: bool,
    },
    /// A name of one syllable for each decimal digit.
    Syllables {
        #[serde(flatten)]
        over: Over,
        syllables: Vec<String>,
        digits: u32,
        a: u64,
        c: u64,
    },
    Choice {
        options: Vec<String>,
    },
    /// What an earlier reply of the session had in this field.
    Replied {
        field: String,
        hold: u32,
        #[serde(deserialize_with = "decimal")]
        initial: i64,
    },
}

/// `min` … `min + count − 1`; the table whose keys they are, if they are keys of one.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Over {
    pub(crate) table: Option<usize>,
    #[serde(deserialize_with = "decimal")]
    pub(crate) min: i64,
    #[serde(deserialize_with = "key_count")]
    pub(crate) count: u64,
}

impl Workload {
    /// Reads the workload of a trial plan.
    ///
    /// # Errors
    /// When a field does not have its form, or an operation names a place that is not there.
    pub fn parse(json: &Value) -> Result<Self, WorkloadError> {
        let mut workload: Self = serde_path_to_error::deserialize(json).map_err(|error| {
            WorkloadError::Form { path: error.path().to_string(), reason: error.inner().to_string() }
        })?;
        let Self { tables, operations, .. } = &mut workload;
        for operation in operations.iter_mut() {
            if let Some(reason) = operation.misplaced(tables) {
                return Err(WorkloadError::Place { operation: operation.name.clone(), reason });
            }
            operation.columns = match (&operation.returns, operation.returns.table()) {
                (_, Some(table)) => tables[table].columns.iter().map(|column| column.kind).collect(),
                (Returns::Fields { fields } | Returns::Records { fields }, _) => {
                    fields.iter().map(|field| field.kind).collect()
                }
                _ => Vec::new(),
            };
        }
        if operations.iter().all(|operation| operation.weight == 0) {
            return Err(WorkloadError::NoWeight);
        }
        Ok(workload)
    }

    /// The types of a table's columns, by its number.
    pub fn column_types(&self, table: usize) -> impl Iterator<Item = Type> {
        self.tables.get(table).into_iter().flat_map(|table| table.columns.iter().map(|column| column.kind))
    }
}

impl Operation {
    /// A reason's number.
    #[must_use]
    pub fn reason(&self, name: &str) -> Option<u16> {
        self.reasons.iter().position(|reason| reason == name).map(|number| number as u16)
    }

    /// A place that it names and that is not there.
    fn misplaced(&self, tables: &[Table]) -> Option<String> {
        let drawn = self.arguments.iter().enumerate().flat_map(|(place, argument)| {
            argument.fields().iter().map(move |field| (place, &field.generator))
        });
        for (place, generator) in drawn {
            if generator.table().is_some_and(|table| table >= tables.len()) {
                return generator.table().map(|table| format!("there is no table {table}"));
            }
            if generator.not().is_some_and(|not| not >= place) {
                return Some(format!("argument {place} differs from one that is not before it"));
            }
        }
        if let Some(table) = self.returns.table().filter(|table| *table >= tables.len()) {
            return Some(format!("there is no table {table}"));
        }
        let is_there = |source: &Source| match *source {
            Source::Constant { .. } => true,
            Source::Argument { argument } => {
                matches!(self.arguments.get(argument), Some(Argument::Scalar(_)))
            }
            Source::Field { argument, field } => {
                matches!(self.arguments.get(argument), Some(Argument::List { fields, .. }) if field < fields.len())
            }
        };
        let unknown = self.returns.sources().find(|source| !is_there(source));
        unknown.map(|source| format!("there is no {source:?}"))
    }
}

impl Returns {
    /// Whose rows it returns.
    #[must_use]
    pub const fn table(&self) -> Option<usize> {
        match self {
            Self::Row { table, .. } | Self::Scan { table, .. } | Self::ChosenRows { table } => Some(*table),
            Self::Nothing | Self::Fields { .. } | Self::Records { .. } => None,
        }
    }

    /// The most rows that any reply has; fields are one.
    #[must_use]
    pub const fn rows_max(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Row { .. } | Self::Fields { .. } => 1,
            Self::Scan { .. } | Self::ChosenRows { .. } | Self::Records { .. } => usize::MAX,
        }
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        let (first, second, limit): (&[Source], &[Source], _) = match self {
            Self::Row { keys, .. } => (keys, &[], None),
            Self::Scan { from, prefix, limit, .. } => (from, prefix, Some(limit)),
            Self::Nothing | Self::Fields { .. } | Self::Records { .. } | Self::ChosenRows { .. } => {
                (&[], &[], None)
            }
        };
        first.iter().chain(second).chain(limit)
    }
}

impl Argument {
    /// Itself, or what each record has.
    fn fields(&self) -> &[Field] {
        match self {
            Self::Scalar(field) => std::slice::from_ref(field),
            Self::List { fields, .. } => fields,
        }
    }
}

impl Field {
    pub(crate) const fn is_content(&self) -> bool {
        matches!(self.generator, Generator::Content)
    }

    pub(crate) const fn is_distinct(&self) -> bool {
        matches!(
            self.generator,
            Generator::Uniform { distinct: true, .. } | Generator::Zipf { distinct: true, .. }
        )
    }
}

impl Generator {
    const fn table(&self) -> Option<usize> {
        match self {
            Self::Uniform { over, .. }
            | Self::Zipf { over, .. }
            | Self::YcsbZipf { over, .. }
            | Self::Session { over }
            | Self::Syllables { over, .. }
            | Self::Nurand { over, .. }
            | Self::Either { over, .. } => over.table,
            Self::Latest { table, .. } | Self::Fresh { table, .. } => Some(*table),
            Self::Constant { .. }
            | Self::Operation
            | Self::Content
            | Self::Code
            | Self::Chance { .. }
            | Self::Choice { .. }
            | Self::Replied { .. } => None,
        }
    }

    const fn not(&self) -> Option<usize> {
        match self {
            Self::Uniform { not, .. } | Self::Zipf { not, .. } => *not,
            Self::Either { same, .. } => Some(*same),
            _ => None,
        }
    }
}

/// A decimal string: beyond 2⁵³ a number of JSON is not exact.
fn decimal<'de, D: Deserializer<'de>, T: std::str::FromStr>(from: D) -> Result<T, D::Error> {
    let digits = String::deserialize(from)?;
    digits.parse().map_err(|_| de::Error::custom(format!("expected a decimal integer, got {digits:?}")))
}

fn key_count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let count = u64::deserialize(from)?;
    let is_count = (1..=1 << 32).contains(&count);
    if is_count { Ok(count) } else { Err(de::Error::custom("1 to 2^32 values")) }
}

/// A key is a number, an int64 a decimal string.
fn word<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(from)?;
    let word = match &value {
        Value::Bool(flag) => Some(u64::from(*flag)),
        Value::String(digits) => digits.parse::<i64>().ok().map(|number| number as u64),
        number => number.as_i64().map(|number| number as u64),
    };
    word.ok_or_else(|| de::Error::custom(format!("expected a constant, got {value}")))
}
