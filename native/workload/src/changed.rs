//! Section 10, "changed beside the load": rows that another connection changes while the load reads them.

use std::collections::HashMap;

use crate::workload::Workload;

/// Seeded rows of a table that no operation writes: each gets the value that another seeded row has in the column.
#[derive(Clone, Debug)]
pub struct ChangedRows {
    pub(crate) table: usize,
    pub(crate) column: usize,
    /// The row whose value a changed row gets, by the number of the changed row.
    likes: HashMap<u64, u64>,
}

impl ChangedRows {
    /// `rows`: the number of each row, and of the one whose value it gets. `None` where the workload has no such column.
    #[must_use]
    pub fn new(
        workload: &Workload,
        (table, column): (usize, usize),
        rows: impl IntoIterator<Item = (u64, u64)>,
    ) -> Option<Self> {
        workload.tables.get(table)?.columns.get(column)?;
        Some(Self { table, column, likes: rows.into_iter().collect() })
    }

    /// The row whose value a row gets, if it is changed.
    #[inline]
    pub(crate) fn like(&self, row: u64) -> Option<u64> {
        self.likes.get(&row).copied()
    }
}
