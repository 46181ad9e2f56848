//! Replies as JSON: the twin of `packages/rpc/src/codec/reply.ts`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{Operation, Reply, Returns, Type};
use serde_json::Value;

/// `{"rows":[[…],…]}` or `{"fields":[…]}`, as the operation returns; `None` for anything else.
pub(super) fn parse_reply(operation: &Operation, json: &Value) -> Option<Reply> {
    let rows = match operation.returns {
        Returns::Nothing => return None,
        Returns::Fields { .. } => std::slice::from_ref(member(json, "fields")?),
        Returns::Row { .. } | Returns::Scan { .. } | Returns::ChosenRows { .. } => {
            member(json, "rows")?.as_array()?.as_slice()
        }
    };
    if rows.len() > operation.returns.rows_max() {
        return None;
    }
    let mut reply = Reply::new(operation.columns.len());
    for row in rows {
        put_row(&operation.columns, row.as_array()?, &mut reply)?;
    }
    Some(reply)
}

fn member<'a>(json: &'a Value, name: &str) -> Option<&'a Value> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    object.get(name)
}

fn put_row(columns: &[Type], row: &[Value], reply: &mut Reply) -> Option<()> {
    if row.len() != columns.len() {
        return None;
    }
    for (kind, value) in columns.iter().zip(row) {
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
