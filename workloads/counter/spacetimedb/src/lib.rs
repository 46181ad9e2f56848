//! The counter workload as a `SpacetimeDB` module.

use fair_bench_spacetimedb_module::{Refusal, table_reducers};
use spacetimedb::{ProcedureContext, ReducerContext, Table, procedure, reducer, table};

/// A counter.
#[table(accessor = counter, public)]
pub struct Counter {
    #[primary_key]
    #[index(hash)]
    id: u32,
    value: i64,
}

/// A message.
#[table(accessor = message, public)]
pub struct Message {
    #[primary_key]
    id: i64,
    sender: u32,
    channel: u32,
    body: String,
}

table_reducers!(counter: Counter, load_counter, clear_counter);
table_reducers!(message: Message, load_message, clear_message);

/// Adds 1 to a counter, found by its primary key.
///
/// # Errors
///
/// The fault `counter-overflow` when the counter cannot hold the sum. A counter that is not there stays so.
#[reducer]
pub fn increment(context: &ReducerContext, counter: u32) -> Result<(), Refusal> {
    let counters = context.db.counter().id();
    if let Some(found) = counters.find(counter) {
        let value = found.value.checked_add(1).ok_or(Refusal::Fault("counter-overflow"))?;
        counters.update(Counter { value, ..found });
    }
    Ok(())
}

/// The same, but the counter is found by reading all of them, and deleted and inserted again: how the public comparison of
/// Convex and `SpacetimeDB` did it. Called in place of `increment` by a target with `reducers=scanning`.
///
/// # Errors
///
/// As `increment`.
#[reducer]
pub fn increment_scanning(context: &ReducerContext, counter: u32) -> Result<(), Refusal> {
    let counters = context.db.counter();
    if let Some(found) = counters.iter().find(|found| found.id == counter) {
        let value = found.value.checked_add(1).ok_or(Refusal::Fault("counter-overflow"))?;
        counters.delete(found);
        counters.insert(Counter { id: counter, value });
    }
    Ok(())
}

/// Inserts a message. The function has not the operation's name because the table has it.
///
/// # Errors
///
/// The fault `row-exists` when a message has this id already.
#[reducer(name = "message")]
pub fn insert_message(
    context: &ReducerContext,
    id: i64,
    sender: u32,
    channel: u32,
    body: String,
) -> Result<(), Refusal> {
    let inserted = context.db.message().try_insert(Message { id, sender, channel, body });
    inserted.map(|_| ()).map_err(|_| Refusal::Fault("row-exists"))
}

/// The counter, or nothing.
///
/// # Errors
///
/// None; the type is that of every operation that returns something.
#[procedure(name = "counter")]
pub fn read_counter(context: &mut ProcedureContext, counter: u32) -> Result<Vec<Counter>, String> {
    Ok(context.with_tx(|transaction| transaction.db.counter().id().find(counter).into_iter().collect()))
}

/// The messages of the greatest ids, at most `limit` of them.
///
/// # Errors
///
/// None; the type is that of every operation that returns something.
#[procedure]
pub fn messages(context: &mut ProcedureContext, limit: u32) -> Result<Vec<Message>, String> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(context.with_tx(|transaction| {
        // An index gives its rows in ascending order alone.
        let mut found: Vec<Message> = transaction.db.message().iter().collect();
        found.sort_unstable_by(|a, b| b.id.cmp(&a.id));
        found.truncate(limit);
        found
    }))
}
