use super::*;
use crate::sessions::test_support::{one_row, returns_a_field, returns_rows};

const ROW: &[u8] = b"\x07\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\0\0\0ab\x02\0\0\0\0\xff";

fn parsed(operation: &Operation, value: &[u8]) -> Option<Reply> {
    parse_reply(operation, value, &mut Spare::default()).map(|reply| *reply)
}

#[test]
fn rows_stand_behind_their_number_and_fields_alone() {
    let (rows, fields) = (returns_rows(), returns_a_field());
    let (rows, fields) = (&rows.operations[0], &fields.operations[0]);
    assert_eq!(parsed(rows, &[b"\x01\0\0\0", ROW].concat()), Some(one_row()));
    assert_eq!(parsed(rows, &[0; 4]), Some(Reply::new(5)));
    assert_eq!(parsed(fields, &[40, 0, 0, 0, 0, 0, 0, 0]).map(|reply| reply.rows().len()), Some(1));
    assert_eq!(parsed(rows, &[b"\x02\0\0\0", ROW].concat()), None, "a row is missing");
    assert_eq!(parsed(rows, &[b"\x01\0\0\0", ROW, b"\0"].concat()), None, "a byte too many");
    assert_eq!(parsed(fields, &[]), None);
}
