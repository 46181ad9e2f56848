//! A workload's description, its streams of operations and its outcome log, as
//! `packages/workload/SPECIFICATION.md` says them to the bit.

mod content;
mod description;
mod elementary;
mod permutation;
mod program;
mod ranks;
mod resolve;
mod seeding;
mod stream;
mod values;
mod workload;
mod xoshiro;

pub use description::{Description, Type};
pub use program::Program;
pub use stream::{OutOfKeys, Stream};
pub use values::{List, Values};
pub use workload::{Argument, Columns, Field, Operation, Returns, Workload};

/// What the golden vectors check one by one.
#[doc(hidden)]
pub mod parts {
    pub use crate::elementary::{exp, expm1_over_x, log, log1p_over_x, series_exp, series_log};
    pub use crate::permutation::Permutation;
    pub use crate::ranks::RankSampler;
    pub use crate::seeding::{Purpose, seed_words};
    pub use crate::xoshiro::Xoshiro128;
}
