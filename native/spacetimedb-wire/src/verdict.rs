//! What a reply means for the operation that asked for it.

use crate::message::ReplyResult;

/// What became of one transfer, of which a reply came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was committed.
    Applied,
    /// A rule of the workload said no; nothing was changed.
    Declined(DeclineReason),
    /// The module said no for another reason; nothing was changed.
    Refused(String),
    /// The server failed: nobody knows what became of it.
    InDoubt(String),
}

/// The rules of the workload, as the module's errors name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclineReason {
    /// The account that pays has less than the amount.
    InsufficientFunds,
    /// One of the accounts is not there.
    MissingAccount,
    /// Both accounts are the same.
    SameAccount,
    /// The amount is zero or less.
    NonPositiveAmount,
}

impl Verdict {
    /// Reads what the module of modules/spacetimedb means by its result.
    #[must_use]
    pub fn of(result: ReplyResult<'_>) -> Self {
        match result {
            ReplyResult::Ok => Self::Applied,
            ReplyResult::Err(error) => of_module_error(error),
            ReplyResult::InternalError(text) => {
                Self::InDoubt(format!("spacetimedb: {}", String::from_utf8_lossy(text)))
            }
        }
    }
}

/// A module's error is a BSATN string: its text behind its length.
fn of_module_error(error: &[u8]) -> Verdict {
    let text = match error.split_first_chunk() {
        Some((length, text)) if u32::from_le_bytes(*length) as usize == text.len() => text,
        _ => return Verdict::Refused("spacetimedb: the module's error is no text".to_owned()),
    };
    match text {
        b"declined:insufficient-funds" => Verdict::Declined(DeclineReason::InsufficientFunds),
        b"declined:missing-account" => Verdict::Declined(DeclineReason::MissingAccount),
        b"declined:same-account" => Verdict::Declined(DeclineReason::SameAccount),
        b"declined:non-positive-amount" => Verdict::Declined(DeclineReason::NonPositiveAmount),
        other => Verdict::Refused(format!("spacetimedb: the module said {}", String::from_utf8_lossy(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module_error(text: &str) -> Vec<u8> {
        let length = u32::try_from(text.len()).unwrap();
        [&length.to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn the_rules_are_declines_and_every_other_error_is_a_fault() {
        let of = |text: &str| Verdict::of(ReplyResult::Err(&module_error(text)));
        assert_eq!(of("declined:same-account"), Verdict::Declined(DeclineReason::SameAccount));
        assert_eq!(of("declined:missing-account"), Verdict::Declined(DeclineReason::MissingAccount));
        assert_eq!(of("declined:insufficient-funds"), Verdict::Declined(DeclineReason::InsufficientFunds));
        assert_eq!(of("declined:non-positive-amount"), Verdict::Declined(DeclineReason::NonPositiveAmount));
        for text in
            ["fault:balance-overflow", "declined:", "declined:same-account ", "", "insufficient-funds"]
        {
            assert_eq!(of(text), Verdict::Refused(format!("spacetimedb: the module said {text}")));
        }
    }

    #[test]
    fn an_error_that_is_no_text_changed_nothing_either() {
        for bytes in [&[][..], &[1, 0, 0], &[5, 0, 0, 0, b'a'], &[0, 0, 0, 0, b'a']] {
            assert!(matches!(Verdict::of(ReplyResult::Err(bytes)), Verdict::Refused(_)), "{bytes:?}");
        }
    }

    #[test]
    fn a_failed_server_leaves_the_transfer_in_doubt() {
        let verdict = Verdict::of(ReplyResult::InternalError(b"no such reducer"));
        assert_eq!(verdict, Verdict::InDoubt("spacetimedb: no such reducer".to_owned()));
    }
}
