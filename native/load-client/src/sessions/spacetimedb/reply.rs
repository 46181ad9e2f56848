//! A procedure's result in BSATN: rows after their number, or fields, one value after the other.

use fair_bench_workload::{Operation, Reply, Returns, Type};

use crate::sessions::session::Spare;

/// `None` if it does not belong to the operation.
pub(super) fn parse_reply(operation: &Operation, value: &[u8], spare: &mut Spare) -> Option<Box<Reply>> {
    let mut rest = value;
    let count = match operation.returns {
        Returns::Nothing => return None,
        Returns::Fields { .. } => 1,
        Returns::Row { .. } | Returns::Scan { .. } | Returns::Records { .. } | Returns::ChosenRows { .. } => {
            u32::from_le_bytes(take(&mut rest)?)
        }
    };
    let mut reply = spare.take(operation.columns.len());
    for _ in 0..count {
        put_row(&operation.columns, &mut rest, &mut reply)?;
    }
    rest.is_empty().then_some(reply)
}

fn put_row(columns: &[Type], rest: &mut &[u8], reply: &mut Reply) -> Option<()> {
    for kind in columns {
        match kind {
            Type::Key => reply.push(u64::from(u32::from_le_bytes(take(rest)?))),
            Type::Int64 => reply.push(u64::from_le_bytes(take(rest)?)),
            Type::Bool => reply.push(u64::from(take::<1>(rest)? == [1])),
            Type::Text { .. } | Type::Bytes { .. } => {
                let length = u32::from_le_bytes(take(rest)?) as usize;
                let (content, after) = rest.split_at_checked(length)?;
                reply.push_content(content);
                *rest = after;
            }
        }
    }
    Some(())
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*head)
}

#[cfg(test)]
#[path = "tests/reply.rs"]
mod tests;
