//! The isolation workload as a `SpacetimeDB` module.

use fair_bench_spacetimedb_module::{Refusal, table_reducers};
use spacetimedb::{Local, ProcedureContext, SpacetimeType, procedure, table};

/// One item. Every access is by one id.
#[table(accessor = item, public)]
pub struct Item {
    #[primary_key]
    #[index(hash)]
    id: u32,
    version: i64,
    writer: i64,
}

table_reducers!(item: Item, load_item, clear_item);

/// What an operation found of its two items.
#[derive(SpacetimeType)]
pub struct Found {
    a_version: i64,
    a_writer: i64,
    b_version: i64,
    b_writer: i64,
}

/// Reads both items.
///
/// # Errors
///
/// Declines in the order of the workload's description.
#[procedure]
pub fn read_both(context: &mut ProcedureContext, first: u32, second: u32) -> Result<Found, String> {
    context.with_tx(|transaction| carry_out(&transaction.db, (first, second), (-1, 0, false)))
}

/// Reads both items and writes the first.
///
/// # Errors
///
/// As `read_both`.
#[procedure]
pub fn write_first(
    context: &mut ProcedureContext,
    id: i64,
    first: u32,
    second: u32,
) -> Result<Found, String> {
    context.with_tx(|transaction| carry_out(&transaction.db, (first, second), (id, 1, false)))
}

/// Reads and writes both items.
///
/// # Errors
///
/// As `read_both`.
#[procedure]
pub fn write_both(
    context: &mut ProcedureContext,
    id: i64,
    first: u32,
    second: u32,
) -> Result<Found, String> {
    context.with_tx(|transaction| carry_out(&transaction.db, (first, second), (id, 1, true)))
}

/// Reads both items and writes the first twice.
///
/// # Errors
///
/// As `read_both`.
#[procedure]
pub fn write_twice(
    context: &mut ProcedureContext,
    id: i64,
    first: u32,
    second: u32,
) -> Result<Found, String> {
    context.with_tx(|transaction| carry_out(&transaction.db, (first, second), (id, 2, false)))
}

/// Writes the first item so many times, and perhaps the second: what was found plus 1.
fn carry_out(
    db: &Local,
    (first, second): (u32, u32),
    (writer, times, writes_second): (i64, i64, bool),
) -> Result<Found, String> {
    if first == second {
        return Err(Refusal::Declined("same-item").to_string());
    }
    let items = db.item().id();
    let missing = || Refusal::Declined("missing-item").to_string();
    let a = items.find(first).ok_or_else(missing)?;
    let b = items.find(second).ok_or_else(missing)?;
    for step in 1..=times {
        items.update(Item { id: first, version: a.version + step, writer });
    }
    if writes_second {
        items.update(Item { id: second, version: b.version + 1, writer });
    }
    Ok(Found { a_version: a.version, a_writer: a.writer, b_version: b.version, b_writer: b.writer })
}
