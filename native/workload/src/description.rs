//! A workload's description in a trial plan: the twin of `packages/workload/src/schema.ts`. The runner has checked
//! it; here it is parsed strictly, as far as a load client needs it.

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

/// A value, or the name of a parameter that has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OrParameter<T> {
    Known(T),
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
    Constant {
        value: Constant,
    },
    Uniform {
        over: Domain,
        not: Option<String>,
        distinct: bool,
    },
    Zipf {
        over: Domain,
        exponent: OrParameter<f64>,
        scramble: OrParameter<bool>,
        not: Option<String>,
        distinct: bool,
    },
    YcsbZipf {
        over: Domain,
        exponent: OrParameter<f64>,
    },
    Latest {
        table: String,
        exponent: OrParameter<f64>,
    },
    Fresh {
        table: String,
    },
    Operation,
    Content,
    Choice {
        options: Vec<String>,
    },
    ByParameter {
        parameter: String,
        cases: Map<String, Value>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) weight: Weight,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) rows: Vec<Row>,
    pub(crate) declines: Vec<Decline>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) returns: Returns,
    pub(crate) asserts: Asserts,
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

/// Only the reason of a rule: the audit judges whether it applied.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decline {
    pub(crate) reason: String,
    pub(crate) rule: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) table: String,
}

/// Only what an effect writes to.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Effect {
    Add { target: String },
    Insert { table: String },
    Set { target: String },
    SetChosen { row: String, at: String },
    Each { effect: Box<Effect> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Returns {
    Nothing,
    Row { table: String, keys: Vec<String> },
    Scan { table: String, from: Vec<String>, prefix: Vec<String>, order: Order, limit: Bound },
    ChosenRows { table: String },
    Fields { fields: Vec<ReturnedField> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    Ascending,
    Descending,
}

/// What is asserted of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Asserts {
    All,
    /// Not that no row is left out.
    Content,
}

impl Returns {
    /// Whose rows it returns.
    pub(crate) const fn table(&self) -> Option<&String> {
        match self {
            Self::Row { table, .. } | Self::Scan { table, .. } | Self::ChosenRows { table } => Some(table),
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
