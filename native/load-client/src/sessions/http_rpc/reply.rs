//! Replies as JSON: the twin of `packages/rpc/src/codec/reply.ts`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Columns, Reply, Returns, Type};
use serde_json::Value;

/// `{"rows":[[…],…]}` or `{"fields":[…]}`, as the operation returns; `None` for anything else.
pub(super) fn parse_reply(returns: &Returns, json: &Value) -> Option<Reply> {
    let (columns, rows, rows_max) = match returns {
        Returns::Nothing => return None,
        Returns::Rows { columns, is_single } => {
            (columns, member(json, "rows")?.as_array()?.as_slice(), if *is_single { 1 } else { usize::MAX })
        }
        Returns::Fields(columns) => (columns, std::slice::from_ref(member(json, "fields")?), 1),
    };
    if rows.len() > rows_max {
        return None;
    }
    let mut reply = Reply::new(columns.len());
    for row in rows {
        put_row(columns, row.as_array()?, &mut reply)?;
    }
    Some(reply)
}

fn member<'a>(json: &'a Value, name: &str) -> Option<&'a Value> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    object.get(name)
}

fn put_row(columns: &Columns, row: &[Value], reply: &mut Reply) -> Option<()> {
    if row.len() != columns.len() {
        return None;
    }
    for ((_, kind), value) in columns.iter().zip(row) {
        match kind {
            Type::Key => reply.push(whole(value)? as u64),
            Type::Int64 => reply.push(value.as_str()?.parse::<i64>().ok()? as u64),
            Type::Bool => reply.push(u64::from(value.as_bool()?)),
            Type::Text { .. } => reply.push_content(value.as_str()?.as_bytes()),
            Type::Bytes { .. } => reply.push_content(&STANDARD.decode(value.as_str()?).ok()?),
        }
    }
    Some(())
}

/// 4.0 is one.
fn whole(value: &Value) -> Option<i64> {
    value
        .as_i64()
        .or_else(|| value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

    #[test]
    fn a_reply_is_read_strictly() {
        let (rows, fields) = (returns_rows(), returns_a_field());
        let (rows, fields) = (&rows.operations[0].returns, &fields.operations[0].returns);
        let row = json!([7, "-1", true, "ab", "AP8="]);
        assert_eq!(parse_reply(rows, &json!({ "rows": [row] })), Some(one_row()));
        assert_eq!(parse_reply(rows, &json!({ "rows": [] })), Some(Reply::new(5)));
        assert_eq!(
            parse_reply(fields, &json!({ "fields": ["40"] })).map(|reply| reply.rows().len()),
            Some(1)
        );
        for wrong in [
            json!({ "rows": [row], "more": 1 }),
            json!({ "fields": row }),
            json!({ "rows": [[7, -1, true, "ab", "AP8="]] }),
            json!({ "rows": [[7, "-1", true, "ab"]] }),
            json!({ "rows": [[7.5, "-1", true, "ab", "AP8="]] }),
            json!(null),
        ] {
            assert_eq!(parse_reply(rows, &wrong), None, "{wrong}");
        }
        assert_eq!(parse_reply(fields, &json!({ "fields": [40] })), None);
    }
}
