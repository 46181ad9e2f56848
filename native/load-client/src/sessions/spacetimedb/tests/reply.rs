use super::*;
use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

const ROW: &[u8] = b"\x07\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\0\0\0ab\x02\0\0\0\0\xff";

#[test]
fn rows_stand_behind_their_number_and_fields_alone() {
    let (rows, fields) = (returns_rows(), returns_a_field());
    let (rows, fields) = (&rows.operations[0], &fields.operations[0]);
    assert_eq!(parse_reply(rows, &[b"\x01\0\0\0", ROW].concat()), Some(one_row()));
    assert_eq!(parse_reply(rows, &[0; 4]), Some(Reply::new(5)));
    assert_eq!(parse_reply(fields, &[40, 0, 0, 0, 0, 0, 0, 0]).map(|reply| reply.rows().len()), Some(1));
    assert_eq!(parse_reply(rows, &[b"\x02\0\0\0", ROW].concat()), None, "a row is missing");
    assert_eq!(parse_reply(rows, &[b"\x01\0\0\0", ROW, b"\0"].concat()), None, "a byte too many");
    assert_eq!(parse_reply(fields, &[]), None);
}
