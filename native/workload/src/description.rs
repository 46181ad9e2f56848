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
    rule: Value,
}

#[derive(Debug, Deserialize)]
struct Row {
    name: String,
    table: String,
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

/// What an effect does to a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Set,
}

impl Operation {
    /// The tables that its effects write to.
    pub(crate) fn written_tables(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().filter_map(|effect| match effect.alone() {
            Effect::Insert { table } => Some(table.as_str()),
            Effect::Add { target } | Effect::Set { target } => self.table_of(target.split_once('.')?.0),
            Effect::SetChosen { row, .. } => self.table_of(row),
            Effect::Each { .. } => None,
        })
    }

    /// The tables whose rows its rules look at.
    pub(crate) fn ruled_tables(&self) -> impl Iterator<Item = &str> {
        let references = self.declines.iter().flat_map(|Decline { rule, .. }| {
            ["row", "left", "right"].into_iter().filter_map(|field| rule.get(field)?.as_str())
        });
        references.filter_map(|name| self.table_of(name.split('.').next()?))
    }

    /// Whether it inserts rows of a table.
    pub(crate) fn inserts(&self, table: &str) -> bool {
        self.effects
            .iter()
            .any(|effect| matches!(effect.alone(), Effect::Insert { table: name } if name == table))
    }

    /// How its effects change a column.
    pub(crate) fn changes(&self, table: &str, column: &str, change: Change) -> bool {
        let is_it = |target: &str| {
            let (row, name) = target.split_once('.').unwrap_or_default();
            name == column && self.table_of(row) == Some(table)
        };
        self.effects.iter().any(|effect| match (effect.alone(), change) {
            (Effect::Add { target }, Change::Added) | (Effect::Set { target }, Change::Set) => is_it(target),
            (Effect::SetChosen { row, at }, Change::Set) => {
                self.table_of(row) == Some(table) && self.offers(at, column)
            }
            _ => false,
        })
    }

    fn table_of(&self, row: &str) -> Option<&str> {
        self.rows.iter().find(|each| each.name == row).map(|each| each.table.as_str())
    }

    /// Whether an argument is a choice with that option.
    fn offers(&self, argument: &str, option: &str) -> bool {
        self.arguments.iter().any(|each| match each {
            Argument::Scalar(Field { name, generator: Generator::Choice { options }, .. }) => {
                name == argument && options.iter().any(|one| one == option)
            }
            _ => false,
        })
    }
}

impl Effect {
    /// Itself, or what it does for each record.
    pub(crate) fn alone(&self) -> &Self {
        match self {
            Self::Each { effect } => effect,
            effect => effect,
        }
    }
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
