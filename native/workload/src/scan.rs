//! Which rows a scan must return, in which order: the twin of the scans in `packages/workload/src/replay/reply-check.ts`.

use std::cmp::Ordering;

use crate::keys::{compare, describe, evaluated, seeded_key, seeded_row};
use crate::reply::Reply;
use crate::values::Values;
use crate::workload::{Returns, Table};

/// What is wrong with the rows of a scan.
pub(crate) fn scan_mistake(table: &Table, scan: &Returns, values: &Values, reply: &Reply) -> Option<String> {
    let Returns::Scan { from, prefix, descending, limit, complete, .. } = scan else { return None };
    let (prefix, from, limit) = (evaluated(prefix, values), evaluated(from, values), limit.of(values));
    let range = Range { table, prefix: &prefix, from: &from, descending: *descending };
    let count = reply.rows().len();
    if i64::try_from(count).is_ok_and(|count| count > limit) {
        return Some(format!("{count} rows, more than the limit of {limit}"));
    }
    let mut expected = if *complete { range.first_seeded() } else { None };
    let mut before: Option<&[u64]> = None;
    for row in reply.rows() {
        let key = &row[..table.key_columns];
        if before.is_some_and(|before| range.ordered(before, key).is_ge()) {
            return Some(format!("{} is out of order", describe(table, row)));
        }
        if !range.has(key) {
            return Some(format!("{} is out of range", describe(table, row)));
        }
        before = Some(key);
        let Some(seeded) = expected else { continue };
        if seeded_row(table, key) == Some(seeded) {
            expected = range.next_seeded(seeded);
        } else if range.ordered(&seeded_key(table, seeded), key).is_lt() {
            return Some(format!("row {seeded} of {} is left out", table.name));
        }
    }
    let ends_early = i64::try_from(count).is_ok_and(|count| count < limit);
    expected.filter(|_| ends_early).map(|row| format!("ends before row {row} of {}", table.name))
}

/// What a scan reads.
struct Range<'a> {
    table: &'a Table,
    prefix: &'a [u64],
    from: &'a [u64],
    descending: bool,
}

impl Range<'_> {
    /// In the order of the scan.
    fn ordered(&self, a: &[u64], b: &[u64]) -> Ordering {
        if self.descending { compare(b, a) } else { compare(a, b) }
    }

    fn has(&self, key: &[u64]) -> bool {
        compare(key, self.prefix).is_eq() && self.ordered(self.from, key).is_le()
    }

    /// The first seeded row that the scan must return.
    fn first_seeded(&self) -> Option<u64> {
        let (mut low, mut high) = (0, self.table.rows);
        // Keys of seeded rows ascend with their numbers: halve until the first that is in range on its side.
        while low < high {
            let middle = (low + high) / 2;
            let key = seeded_key(self.table, middle);
            let order = compare(&key, self.prefix).then_with(|| compare(&key, self.from));
            let is_beyond = if self.descending { order.is_gt() } else { order.is_ge() };
            if is_beyond { high = middle } else { low = middle + 1 }
        }
        let first = if self.descending { low.checked_sub(1)? } else { low };
        (first < self.table.rows && self.has(&seeded_key(self.table, first))).then_some(first)
    }

    fn next_seeded(&self, row: u64) -> Option<u64> {
        let next = if self.descending { row.checked_sub(1)? } else { row + 1 };
        let is_in = next < self.table.rows && compare(&seeded_key(self.table, next), self.prefix).is_eq();
        is_in.then_some(next)
    }
}
