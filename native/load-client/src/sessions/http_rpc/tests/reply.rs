use serde_json::{Value, json};

use super::*;
use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

fn parsed(operation: &Operation, json: &Value) -> Option<Reply> {
    parse_reply(operation, &json.to_string(), &mut Spare::default()).map(|reply| *reply)
}

#[test]
fn a_reply_that_was_read_before_leaves_nothing_in_the_next() {
    let rows = returns_rows();
    let mut spare = Spare::default();
    let row = r#"{"rows":[[7,"-1",true,"ab","AP8="]]}"#;
    let first = parse_reply(&rows.operations[0], row, &mut spare);
    let place = first.as_deref().map(std::ptr::from_ref);
    spare.put(first);
    let second = parse_reply(&rows.operations[0], row, &mut spare);
    assert_eq!(second.as_deref().map(std::ptr::from_ref), place, "another allocation");
    assert_eq!(second.as_deref(), Some(&one_row()));
}

#[test]
fn a_reply_is_read_strictly() {
    let (rows, fields) = (returns_rows(), returns_a_field());
    let (rows, fields) = (&rows.operations[0], &fields.operations[0]);
    let row = json!([7, "-1", true, "ab", "AP8="]);
    assert_eq!(parsed(rows, &json!({ "rows": [row] })), Some(one_row()));
    assert_eq!(parsed(rows, &json!({ "rows": [] })), Some(Reply::new(5)));
    assert_eq!(parsed(fields, &json!({ "fields": ["40"] })).map(|reply| reply.rows().len()), Some(1));
    for wrong in [
        json!({ "rows": [row], "more": 1 }),
        json!({ "fields": row }),
        json!({ "rows": [[7, -1, true, "ab", "AP8="]] }),
        json!({ "rows": [[7, "-1", true, "ab"]] }),
        json!({ "rows": [[7.5, "-1", true, "ab", "AP8="]] }),
        json!(null),
    ] {
        assert_eq!(parsed(rows, &wrong), None, "{wrong}");
    }
    assert_eq!(parsed(fields, &json!({ "fields": [40] })), None);
}
