//! The transfer workload: accounts, and money that moves between two of them.

use spacetimedb::{ReducerContext, Table, reducer, table};

use crate::refusal::Refusal;

const NON_POSITIVE_AMOUNT: Refusal = Refusal::Declined("non-positive-amount");
const SAME_ACCOUNT: Refusal = Refusal::Declined("same-account");
const MISSING_ACCOUNT: Refusal = Refusal::Declined("missing-account");
const INSUFFICIENT_FUNDS: Refusal = Refusal::Declined("insufficient-funds");
const BALANCE_OVERFLOW: Refusal = Refusal::Fault("balance-overflow");
const ACCOUNT_ID_OVERFLOW: Refusal = Refusal::Fault("account-id-overflow");
const ACCOUNT_EXISTS: Refusal = Refusal::Fault("account-exists");

/// One account. The hash index is that of the vendor's own benchmark: every access is by one id.
#[table(accessor = accounts, public)]
pub struct Account {
    #[primary_key]
    #[index(hash)]
    id: u32,
    balance: i64,
}

/// Moves `amount` from account `source` to account `target`.
///
/// # Errors
///
/// Declines `non-positive-amount`, `same-account`, `missing-account` and `insufficient-funds`, checked in
/// this order, and the fault `balance-overflow` when the target cannot hold the sum.
#[reducer]
pub fn transfer(context: &ReducerContext, source: u32, target: u32, amount: i64) -> Result<(), Refusal> {
    if amount <= 0 {
        return Err(NON_POSITIVE_AMOUNT);
    }
    if source == target {
        return Err(SAME_ACCOUNT);
    }
    let accounts = context.db.accounts().id();
    let from = accounts.find(source).ok_or(MISSING_ACCOUNT)?;
    let to = accounts.find(target).ok_or(MISSING_ACCOUNT)?;
    if from.balance < amount {
        return Err(INSUFFICIENT_FUNDS);
    }
    let to_balance = to.balance.checked_add(amount).ok_or(BALANCE_OVERFLOW)?;
    accounts.update(Account { id: source, balance: from.balance - amount });
    accounts.update(Account { id: target, balance: to_balance });
    Ok(())
}

/// Removes every account.
#[reducer]
pub fn clear(context: &ReducerContext) {
    context.db.accounts().clear();
}

/// Inserts the accounts `from` … `from + count - 1`, each with `initial_balance`.
///
/// A dataset is made of several calls: ten million rows in one transaction would be one record of the log,
/// held in memory as a whole.
///
/// # Errors
///
/// Faults `account-id-overflow` when the last id is beyond 32 bits and `account-exists` when one of the
/// accounts is there already; then the whole chunk is left out.
#[reducer]
pub fn seed(context: &ReducerContext, from: u32, count: u32, initial_balance: i64) -> Result<(), Refusal> {
    let Some(last_offset) = count.checked_sub(1) else {
        return Ok(());
    };
    let last = from.checked_add(last_offset).ok_or(ACCOUNT_ID_OVERFLOW)?;
    let accounts = context.db.accounts();
    for id in from..=last {
        accounts.try_insert(Account { id, balance: initial_balance }).map_err(|_| ACCOUNT_EXISTS)?;
    }
    Ok(())
}
