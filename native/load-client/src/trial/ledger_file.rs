//! The ledger of all threads, and the file that it goes to.

use fair_bench_workload_transfer::{Ledger, Transfer};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A ledger as it was written.
pub struct EncodedLedger {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Operations that may have been applied.
    pub in_doubt: Vec<Transfer>,
}

impl EncodedLedger {
    pub(super) fn of(ledger: &Ledger) -> Self {
        Self { bytes: ledger.encode(), in_doubt: ledger.in_doubt().to_vec() }
    }
}

/// Writes the file, whole, and tells of it as a trial result does.
pub(super) fn write(path: &str, ledger: &EncodedLedger) -> Result<Value, String> {
    std::fs::write(path, &ledger.bytes)
        .map_err(|error| format!("the ledger cannot be written to {path}: {error}"))?;
    let in_doubt = ledger.in_doubt.iter().map(|transfer| {
        let Transfer { source, target, amount } = transfer;
        json!({ "source": source, "target": target, "amount": amount.to_string() })
    });
    let sha256 = Sha256::digest(&ledger.bytes);
    Ok(json!({
        "path": path,
        "bytes": ledger.bytes.len(),
        "sha256": sha256.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "inDoubt": in_doubt.collect::<Vec<_>>(),
    }))
}
