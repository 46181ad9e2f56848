//! A workload's operations as steps over rows, as the endpoint's options have them: `packages/native-engines` writes them,
//! with every name resolved. Values are named by their places in the arguments.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::engine::{Result, invalid};
use crate::rows::{Table, TableShape};

/// What an engine's sessions carry out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The tables, by their numbers.
    pub tables: Vec<TableShape>,
    /// The operations, by their numbers.
    pub operations: Vec<OperationSteps>,
}

/// One operation: the first rule that holds declines it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationSteps {
    /// When it is declined.
    pub rules: Vec<Rule>,
    /// What it changes, in their order.
    pub effects: Vec<Effect>,
    /// The columns that it returns as fields; empty for any other reply.
    pub found: Vec<Place>,
}

/// Declines an operation where it holds, over a list for any of its records.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The number of the reason.
    pub reason: u16,
    /// The list argument over whose records it is tried.
    pub list: Option<usize>,
    /// When it holds.
    pub holds: Condition,
}

/// When a rule holds. A comparison holds only where both values are there.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Condition {
    /// There is no such row.
    Missing {
        /// Which.
        row: Row,
    },
    /// There is such a row.
    Exists {
        /// Which.
        row: Row,
    },
    /// Of integers.
    Less {
        /// The one.
        left: Operand,
        /// The other.
        right: Operand,
    },
    /// Of integers.
    Equal {
        /// The one.
        left: Operand,
        /// The other.
        right: Operand,
    },
}

/// A change, over a list for each of its records.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The list argument.
    pub list: Option<usize>,
    /// What happens.
    pub change: Change,
}

/// What an effect does. A row that is missing is left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Change {
    /// Adds to an integer.
    Add {
        /// Of which row.
        row: Row,
        /// Which column.
        column: usize,
        /// How much.
        amount: Source,
        /// Whether it is subtracted.
        negative: bool,
    },
    /// Sets a column.
    Set {
        /// Of which row.
        row: Row,
        /// Which column.
        column: Chosen,
        /// To what.
        to: Source,
    },
    /// Inserts a row; where there is one it is a fault, or is kept.
    #[serde(rename_all = "camelCase")]
    Insert {
        /// Of which table.
        table: usize,
        /// By column; nothing where the server decides.
        columns: Vec<Option<Source>>,
        /// Whether a row that is there is kept.
        if_missing: bool,
    },
}

/// A column, or the one that an argument chooses.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Chosen {
    /// Always the same.
    One(usize),
    /// By the argument's value.
    By {
        /// The argument.
        argument: usize,
        /// A column for each value.
        columns: Vec<usize>,
    },
}

/// A value.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Operand {
    /// Of the arguments.
    Value {
        /// Which.
        value: Source,
    },
    /// Of a row.
    Column(Place),
}

/// A column of a row.
#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    /// The row.
    pub row: Row,
    /// The column.
    pub column: usize,
}

/// A row by its key.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// The table's number.
    pub table: usize,
    /// By column of the key.
    pub keys: Vec<Source>,
}

/// Where a value of the arguments is. Of a list's, the record that is being looked at.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Source {
    /// Nowhere: it is always the same.
    Constant {
        /// The value as a word.
        #[serde(deserialize_with = "constant")]
        value: u64,
    },
    /// A scalar argument.
    Argument {
        /// Its place.
        argument: usize,
    },
    /// A field of a list.
    Field {
        /// The list's place.
        argument: usize,
        /// The field's place.
        field: usize,
    },
}

impl Steps {
    /// Reads the options of an endpoint.
    ///
    /// # Errors
    /// When something is not of its form.
    pub fn parse(json: &Value) -> Result<Self> {
        serde_path_to_error::deserialize(json)
            .map_err(|error| invalid(format!("{}: {}", error.path(), error.inner())))
    }

    /// The tables as they are stored.
    ///
    /// # Errors
    /// When a row of one cannot be stored.
    pub fn stored(&self) -> Result<Vec<Table>> {
        self.tables.iter().enumerate().map(|(number, shape)| Table::new(number, shape)).collect()
    }
}

/// A key is a number, an int64 a decimal string, a bool itself.
fn constant<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(from)?;
    let word = match &value {
        Value::Bool(flag) => Some(u64::from(*flag)),
        Value::String(digits) => digits.parse::<i64>().ok().map(|number| number as u64),
        number => number.as_i64().map(|number| number as u64),
    };
    word.ok_or_else(|| de::Error::custom(format!("expected an integer, got {value}")))
}
