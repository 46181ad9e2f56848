//! What the `SpacetimeDB` modules of all workloads have in common: how an operation says no, and the reducers by which
//! a table is loaded and cleared.

use std::fmt;

/// Why an operation changed nothing. Its text is `declined:` and the reason, or `fault:` and what was wrong: the client
/// distinguishes a decline from a fault by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A rule of the workload said no, with this reason of its description.
    Declined(&'static str),
    /// The request cannot be carried out, and no rule of the workload says why.
    Fault(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Declined(rule) => ("declined:", rule),
            Self::Fault(fact) => ("fault:", fact),
        };
        formatter.write_str(kind)?;
        formatter.write_str(name)
    }
}

/// The reducers of one table: `table_reducers!(item: Item, load_item, clear_item)`, beside the table's own macro.
///
/// `load_<table>(rows)` inserts rows, all or none, and is the fault `row-exists` when a key is there already.
/// `clear_<table>()` removes every row in one transaction.
#[macro_export]
macro_rules! table_reducers {
    ($table:ident: $row:ty, $load:ident, $clear:ident) => {
        /// Inserts rows.
        ///
        /// # Errors
        ///
        /// The fault `row-exists` when a key is there already; then none is inserted.
        #[spacetimedb::reducer]
        pub fn $load(context: &spacetimedb::ReducerContext, rows: Vec<$row>) -> Result<(), $crate::Refusal> {
            let table = context.db.$table();
            for row in rows {
                spacetimedb::Table::try_insert(table, row)
                    .map_err(|_| $crate::Refusal::Fault("row-exists"))?;
            }
            Ok(())
        }

        /// Removes every row.
        #[spacetimedb::reducer]
        pub fn $clear(context: &spacetimedb::ReducerContext) {
            spacetimedb::Table::clear(context.db.$table());
        }
    };
}
