//! Keys of rows: of seeded ones, in arguments, in order and in words.

use std::cmp::Ordering;

use crate::values::Values;
use crate::workload::{Source, Table};

pub(crate) fn evaluated(keys: &[Source], values: &Values) -> Vec<u64> {
    keys.iter().map(|source| source.of(values) as u64).collect()
}

/// The number of the seeded row that has a key.
#[inline]
pub(crate) fn seeded_row(table: &Table, key: &[u64]) -> Option<u64> {
    table
        .extents
        .iter()
        .zip(key)
        .try_fold(0, |number, (extent, value)| (value < extent).then(|| number * extent + value))
}

/// The key of a seeded row: the last column changes first.
pub(crate) fn seeded_key(table: &Table, number: u64) -> Vec<u64> {
    let mut rest = number;
    let mut key: Vec<u64> = table
        .extents
        .iter()
        .rev()
        .map(|extent| {
            let value = rest % extent;
            rest /= extent;
            value
        })
        .collect();
    key.reverse();
    key
}

/// Compares the columns that both have, as signed integers.
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| (*a as i64).cmp(&(*b as i64)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// "account (17)"
pub(crate) fn describe(table: &Table, row: &[u64]) -> String {
    let key: Vec<String> =
        row.iter().take(table.key_columns).map(|word| (*word as i64).to_string()).collect();
    format!("{} ({})", table.name, key.join(", "))
}
