use super::*;

fn error_of(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap();
    [&length.to_le_bytes(), text.as_bytes()].concat()
}

#[test]
fn the_rules_are_declines_and_every_other_error_is_a_fault() {
    assert_eq!(
        Outcome::of(ReplyResult::Err(&error_of("declined:same-account"))),
        Outcome::Declined("same-account".into())
    );
    for text in ["fault:overflow", "declined:", "", "insufficient-funds"] {
        let fault = Outcome::fault(FaultCode::ServerError, false, &format!("the module said {text}"));
        assert_eq!(Outcome::of(ReplyResult::Err(&error_of(text))), fault);
    }
}

#[test]
fn a_procedure_returns_a_value_or_says_no() {
    fn returned(result: &[u8]) -> Outcome<'_> {
        Outcome::of(ReplyResult::Returned(result))
    }
    assert_eq!(returned(&[0, 1, 2]), Outcome::Returned(&[1, 2]));
    let refusal = [&[1, 13, 0, 0, 0][..], b"declined:late"].concat();
    assert_eq!(returned(&refusal), Outcome::Declined("late".into()));
    let Outcome::Fault(fault) = returned(&[]) else { panic!("no fault") };
    assert!(fault.in_doubt);
}

#[test]
fn an_error_that_is_no_text_changed_nothing_either() {
    for bytes in [&[][..], &[1, 0, 0], &[5, 0, 0, 0, b'a'], &[0, 0, 0, 0, b'a']] {
        let Outcome::Fault(fault) = Outcome::of(ReplyResult::Err(bytes)) else { panic!("{bytes:?}") };
        assert!(!fault.in_doubt);
    }
}

#[test]
fn a_failed_server_leaves_the_call_in_doubt() {
    let outcome = Outcome::of(ReplyResult::InternalError(b"no such reducer"));
    assert_eq!(outcome, Outcome::fault(FaultCode::ServerError, true, "no such reducer"));
}
