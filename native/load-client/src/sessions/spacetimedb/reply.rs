//! What a procedure returned, in BSATN: rows behind their number, or fields, one value after the other.

use fair_bench_workload::{Columns, Reply, Returns, Type};

/// `None` when it is not what the operation returns.
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
mod tests {
    use super::*;
    use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

    const ROW: &[u8] = b"\x07\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\0\0\0ab\x02\0\0\0\0\xff";

    #[test]
    fn rows_stand_behind_their_number_and_fields_alone() {
        let (rows, fields) = (returns_rows(), returns_a_field());
        let (rows, fields) = (&rows.operations[0].returns, &fields.operations[0].returns);
        assert_eq!(parse_reply(rows, &[b"\x01\0\0\0", ROW].concat()), Some(one_row()));
        assert_eq!(parse_reply(rows, &[0; 4]), Some(Reply::new(5)));
        assert_eq!(parse_reply(fields, &[40, 0, 0, 0, 0, 0, 0, 0]).map(|reply| reply.rows().len()), Some(1));
        assert_eq!(parse_reply(rows, &[b"\x02\0\0\0", ROW].concat()), None, "a row is missing");
        assert_eq!(parse_reply(rows, &[b"\x01\0\0\0", ROW, b"\0"].concat()), None, "a byte too many");
        assert_eq!(parse_reply(fields, &[]), None);
    }
}
