//! What the operations of a description change, and what their rules look at.

use crate::description::{Argument, Decline, Effect, Field, Generator, Operation};

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
