use serde_json::json;

use super::*;
use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

#[test]
fn a_reply_is_read_strictly() {
    let (rows, fields) = (returns_rows(), returns_a_field());
    let (rows, fields) = (&rows.operations[0], &fields.operations[0]);
    let row = json!([7, "-1", true, "ab", "AP8="]);
    assert_eq!(parse_reply(rows, &json!({ "rows": [row] })), Some(one_row()));
    assert_eq!(parse_reply(rows, &json!({ "rows": [] })), Some(Reply::new(5)));
    assert_eq!(parse_reply(fields, &json!({ "fields": ["40"] })).map(|reply| reply.rows().len()), Some(1));
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
