//! The transfer workload: parameters, stream of operations and ledger, as
//! `packages/workload-transfer/SPECIFICATION.md` says them to the bit.

mod ledger;
mod parameters;
mod stream;

pub use ledger::{Ledger, LedgerError};
pub use parameters::Parameters;
pub use stream::{Shared, Stream, Transfer};
