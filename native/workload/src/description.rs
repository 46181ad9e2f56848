//! A workload's description as it travels in a trial plan: the twin of `packages/workload/src/schema.ts`. The runner
//! has checked it; here it is read strictly, as far as a load client needs it.

use serde::Deserialize;
use serde_json::{Map, Value};

const VERSION: u32 = 1;

/// A workload before its parameters are put in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    version: u32,
    /// As in `--workload`.
    pub name: String,
    #[serde(rename = "about")]
    _about: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) tables: Vec<Table>,
    pub(crate) operations: Vec<Operation>,
    #[serde(rename = "axes")]
    _axes: Value,
}

impl Description {
    /// # Errors
    /// One line that names the field.
    pub fn parse(json: &Value) -> Result<Self, String> {
        let description: Self = serde_path_to_error::deserialize(json)
            .map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
        if description.version != VERSION {
            let version = description.version;
            return Err(format!("version: this client reads version {VERSION}, got {version}"));
        }
        Ok(description)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) kind: ParameterKind,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum ParameterKind {
    Integer { min: i64, max: i64 },
    Int64 { min: String, max: String },
    Number { min: f64, max: f64 },
    Boolean,
    Choice { options: Vec<String> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) rows: Vec<Bound>,
    pub(crate) key: Vec<String>,
    pub(crate) columns: Vec<Field>,
    #[serde(rename = "indexes")]
    _indexes: Value,
}

/// A column, or an argument or field of a list that is drawn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
    pub(crate) generator: Generator,
}

/// The type of a column, an argument or a field of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
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

/// A whole number, a decimal string, or the name of a parameter.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Bound {
    Whole(i64),
    Text(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Constant {
    Flag(bool),
    Bound(Bound),
}

/// A number, or the name of a parameter.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Exponent {
    Number(f64),
    Parameter(String),
}

/// True, false, or the name of a parameter.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Flag {
    Known(bool),
    Parameter(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Domain {
    Rows { table: String, column: Option<String> },
    Count { count: Bound },
    Range { min: Bound, max: Bound },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Generator {
    Constant { value: Constant },
    Uniform { over: Domain, not: Option<String>, distinct: bool },
    Zipf { over: Domain, exponent: Exponent, scramble: Flag, not: Option<String>, distinct: bool },
    YcsbZipf { over: Domain, exponent: Exponent },
    Latest { table: String, exponent: Exponent },
    Fresh { table: String },
    Operation,
    Content,
    Choice { options: Vec<String> },
    ByParameter { parameter: String, cases: Map<String, Value> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) weight: Weight,
    pub(crate) arguments: Vec<Argument>,
    rows: Vec<Row>,
    pub(crate) declines: Vec<Decline>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) returns: Returns,
    #[serde(rename = "asserts")]
    _asserts: Value,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Weight {
    Whole(u32),
    Parameter(String),
    Cases { parameter: String, weights: Map<String, Value> },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Argument {
    Scalar(Field),
    List(List),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub(crate) name: String,
    #[serde(rename = "type")]
    _kind: Value,
    pub(crate) length: Length,
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Length {
    pub(crate) min: Bound,
    pub(crate) max: Bound,
}

/// Of a rule only its reason: the audit judges whether it held.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decline {
    pub(crate) reason: String,
    #[serde(rename = "rule")]
    _rule: Value,
}

#[derive(Debug, Deserialize)]
struct Row {
    name: String,
    table: String,
}

/// Of an effect only what it writes to.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Effect {
    Add { target: String },
    Insert { table: String },
    Set { target: String },
    SetChosen { row: String },
    Each { effect: Box<Effect> },
}

impl Operation {
    /// The tables that its effects write to.
    pub(crate) fn written_tables(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().filter_map(|effect| self.written_table(effect))
    }

    fn written_table<'a>(&'a self, effect: &'a Effect) -> Option<&'a str> {
        let row = match effect {
            Effect::Insert { table } => return Some(table),
            Effect::Each { effect } => return self.written_table(effect),
            Effect::Add { target } | Effect::Set { target } => target.split_once('.')?.0,
            Effect::SetChosen { row } => row,
        };
        self.rows.iter().find(|each| each.name == row).map(|each| each.table.as_str())
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Returns {
    Nothing,
    Row { table: String },
    Scan { table: String },
    ChosenRows { table: String },
    Fields { fields: Vec<ReturnedField> },
}

impl Returns {
    /// Whose rows it returns.
    pub(crate) const fn table(&self) -> Option<&String> {
        match self {
            Self::Row { table } | Self::Scan { table } | Self::ChosenRows { table } => Some(table),
            Self::Nothing | Self::Fields { .. } => None,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnedField {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
}
