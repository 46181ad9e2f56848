//! A workload's description, its streams of operations and its outcome log, as `packages/workload/SPECIFICATION.md`
//! specifies them to the bit.

mod check;
mod content;
mod description;
mod effects;
mod elementary;
mod log;
mod parameters;
mod permutation;
mod program;
mod ranks;
mod reply;
mod resolve;
mod scan;
mod seeding;
mod stream;
mod values;
mod workload;
mod xoshiro;

pub use check::Replies;
pub use description::{Description, Type};
pub use log::{LOG_BYTES_MAX, Log, Logged, log_file_head};
pub use program::Program;
pub use reply::Reply;
pub use stream::{OutOfKeys, Stream};
pub use values::{List, Values};
pub use workload::{Argument, Columns, Field, Operation, Returns, Workload};

/// What the golden vectors check one by one.
#[doc(hidden)]
pub mod parts {
    pub use crate::permutation::Permutation;
    pub use crate::ranks::fold_item;
    pub use crate::seeding::{Purpose, seed_words};
}
