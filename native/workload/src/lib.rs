//! A workload as it stands in a trial plan, its streams of operations and its outcome log, as `packages/workload/SPECIFICATION.md`
//! specifies them to the bit.

mod changed;
mod check;
mod content;
mod elementary;
mod error;
mod expected;
mod kept;
mod keys;
mod log;
mod permutation;
mod program;
mod ranks;
mod reply;
mod scan;
mod seeding;
mod stream;
mod values;
mod workload;
mod xoshiro;

pub use changed::ChangedRows;
pub use check::Replies;
pub use error::WorkloadError;
pub use log::{LOG_BYTES_MAX, Log, Logged, log_file_head};
pub use program::Program;
pub use reply::Reply;
pub use stream::Stream;
pub use values::{List, Values};
pub use workload::{Argument, Field, Operation, ReturnedField, Returns, Source, Type, Workload};

/// What the golden vectors check one by one.
#[doc(hidden)]
pub mod parts {
    pub use crate::permutation::Permutation;
    pub use crate::ranks::fold_item;
    pub use crate::seeding::{Purpose, seed_words};
}
