use super::*;
use crate::outcome::Verdict;

fn outcome(sql_state: &str, severity: &str) -> (FaultCode, bool) {
    let [sql_state, severity] = [sql_state, severity].map(str::to_owned);
    let outcome = ServerError { sql_state, severity, message: String::new() }.into_outcome();
    match outcome.verdict {
        Verdict::Fault(fault) => (fault.code, fault.in_doubt),
        other => panic!("{other:?} is no fault"),
    }
}

#[test]
fn what_was_rolled_back_for_certain_is_not_in_doubt() {
    assert_eq!(outcome("40001", "ERROR"), (FaultCode::SerializationFailure, false));
    assert_eq!(outcome("40P01", "ERROR"), (FaultCode::Deadlock, false));
    assert_eq!(outcome("22003", "ERROR"), (FaultCode::InvalidRequest, false));
    assert_eq!(outcome("53300", "FATAL"), (FaultCode::Overloaded, false));
    assert_eq!(outcome("XX000", "ERROR"), (FaultCode::ServerError, false));
}

#[test]
fn what_ends_the_session_leaves_a_doubt() {
    assert_eq!(outcome("57P01", "FATAL"), (FaultCode::ConnectionLost, true));
    assert_eq!(outcome("08006", "ERROR"), (FaultCode::ConnectionLost, true));
    assert_eq!(outcome("40003", "ERROR"), (FaultCode::ConnectionLost, true));
    assert_eq!(outcome("XX000", "PANIC"), (FaultCode::ServerError, true));
}
