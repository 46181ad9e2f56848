//! The transfer workload: parameters, stream of operations and ledger, as
//! `packages/workload-transfer/SPECIFICATION.md` says them to the bit.

mod elementary;
mod ledger;
mod parameters;
mod permutation;
mod ranks;
mod seeding;
mod stream;
mod xoshiro;

pub use ledger::{Ledger, LedgerError};
pub use parameters::Parameters;
pub use stream::{Shared, Stream, Transfer};

/// The parts that the golden vectors check one by one.
#[doc(hidden)]
pub mod parts {
    pub use crate::elementary::{exp, expm1_over_x, log, log1p_over_x, series_exp, series_log};
    pub use crate::permutation::Permutation;
    pub use crate::seeding::{Purpose, seed_words};
    pub use crate::xoshiro::Xoshiro128;
}
