//! The point-read workload as a `SpacetimeDB` module.

use fair_bench_spacetimedb_module::table_reducers;
use spacetimedb::{ProcedureContext, procedure, table};

/// A row.
#[table(accessor = record, public)]
pub struct Record {
    #[primary_key]
    #[index(hash)]
    id: u32,
    value: String,
}

table_reducers!(record: Record, load_record, clear_record);

/// The row, or nothing.
///
/// # Errors
///
/// None; the type is that of every operation that returns something.
#[procedure]
pub fn read(context: &mut ProcedureContext, id: u32) -> Result<Vec<Record>, String> {
    Ok(context.with_tx(|transaction| transaction.db.record().id().find(id).into_iter().collect()))
}
