//! The transfer workload as a `SpacetimeDB` module.

use fair_bench_spacetimedb_module::{Refusal, table_reducers};
use spacetimedb::{ReducerContext, reducer, table};

/// One account. The hash index is that of the vendor's own benchmark: every access is by one id.
#[table(accessor = account, public)]
pub struct Account {
    #[primary_key]
    #[index(hash)]
    id: u32,
    balance: i64,
}

table_reducers!(account: Account, load_account, clear_account);

/// Moves `amount` from account `source` to account `target`.
///
/// # Errors
///
/// Declines in the order of the workload's description, and the fault `balance-overflow` when the target cannot hold
/// the sum.
#[reducer]
pub fn transfer(context: &ReducerContext, source: u32, target: u32, amount: i64) -> Result<(), Refusal> {
    if amount <= 0 {
        return Err(Refusal::Declined("non-positive-amount"));
    }
    if source == target {
        return Err(Refusal::Declined("same-account"));
    }
    let accounts = context.db.account().id();
    let missing = Refusal::Declined("missing-account");
    let from = accounts.find(source).ok_or(missing)?;
    let to = accounts.find(target).ok_or(missing)?;
    if from.balance < amount {
        return Err(Refusal::Declined("insufficient-funds"));
    }
    let to_balance = to.balance.checked_add(amount).ok_or(Refusal::Fault("balance-overflow"))?;
    accounts.update(Account { id: source, balance: from.balance - amount });
    accounts.update(Account { id: target, balance: to_balance });
    Ok(())
}
