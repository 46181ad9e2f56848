//! A procedure's result in BSATN: rows after their number, or fields, one value after the other.

use fair_bench_workload::{Columns, Reply, Returns, Type};

/// `None` if it does not belong to the operation.
pub(super) fn parse_reply(returns: &Returns, value: &[u8]) -> Option<Reply> {
    let mut rest = value;
    let (columns, count) = match returns {
        Returns::Nothing => return None,
        Returns::Rows { columns, .. } => (columns, u32::from_le_bytes(take(&mut rest)?)),
        Returns::Fields(columns) => (columns, 1),
    };
    let mut reply = Reply::new(columns.len());
    for _ in 0..count {
        put_row(columns, &mut rest, &mut reply)?;
    }
    rest.is_empty().then_some(reply)
}

fn put_row(columns: &Columns, rest: &mut &[u8], reply: &mut Reply) -> Option<()> {
    for (_, kind) in columns {
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
