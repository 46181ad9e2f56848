//! Why a reducer changed nothing, as the text that reaches the client.

use std::fmt;

/// A reducer's error. Its text is `declined:` and the name of the rule, or `fault:` and what was wrong.
///
/// The names of the rules are those of the benchmark's other systems, so that a decline is counted as
/// the same decline everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A business rule said no: the answer is as good as any other.
    Declined(&'static str),
    /// The request cannot be carried out, and no rule of the workload says why.
    Fault(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Declined(rule) => ("declined:", rule),
            Self::Fault(fact) => ("fault:", fact),
        };
        formatter.write_str(kind)?;
        formatter.write_str(name)
    }
}
