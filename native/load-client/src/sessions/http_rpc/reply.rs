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
#[path = "tests/reply.rs"]
mod tests;
