use super::*;
use crate::sessions::test_support::{every_type, exchanges, first_of};

#[test]
fn arguments_are_bsatn() {
    let (workload, mut output) = (exchanges(), Vec::new());
    encode_arguments(&workload.operations[0], &first_of(&workload), &mut output);
    assert_eq!(output, b"\x01\0\0\0\xff\xff\xff\xff\x02\x01\0\0\0\0\0\0");
    let workload = every_type();
    let values = first_of(&workload);
    output.clear();
    encode_arguments(&workload.operations[0], &values, &mut output);
    let (text, bytes) = (values.content(values.word(1), 4), values.content(values.word(2), 3));
    let record = b"\x07\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff".as_slice();
    let parts = [b"\x01\x04\0\0\0", text, b"\x03\0\0\0", bytes, b"\x02\0\0\0", record, record];
    assert_eq!(output, parts.concat());
}
