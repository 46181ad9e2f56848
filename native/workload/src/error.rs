//! What is wrong with a workload, with arguments, or with a trial that is too long.

use thiserror::Error;

/// One line each.
#[derive(Debug, Error)]
pub enum WorkloadError {
    /// The JSON does not have the form of a planned workload.
    #[error("{path}: {reason}")]
    Form {
        /// The field.
        path: String,
        /// What is expected there.
        reason: String,
    },
    /// An operation names a place that its workload does not have.
    #[error("operations.{operation}: {reason}")]
    Place {
        /// Its name.
        operation: String,
        /// What is not there.
        reason: String,
    },
    /// Nothing would be drawn.
    #[error("operations: at least one operation needs a weight above 0")]
    NoWeight,
    /// The arguments of an operation do not have its types.
    #[error("{0}")]
    Arguments(String),
    /// The fresh keys of a table have passed 2³²: the trial has no result.
    #[error("fresh keys have passed 2^32; use fewer sessions or a shorter trial")]
    OutOfKeys,
}
