use serde::Deserialize as _;
use serde_json::json;

use super::*;

#[test]
fn a_fault_has_the_name_by_which_it_is_read_and_the_number_of_its_counter() {
    for (number, code) in FaultCode::ALL.into_iter().enumerate() {
        assert_eq!(FaultCode::deserialize(json!(code.name())).unwrap(), code);
        assert_eq!(code as usize, number);
    }
}
