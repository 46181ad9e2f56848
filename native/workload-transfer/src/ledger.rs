//! Section 7: the net effect of everything that was acknowledged, and what is in doubt.

use std::fmt;

use crate::stream::Transfer;

const MAGIC: &[u8; 4] = b"FBTL";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 24;
const RECORD_BYTES: usize = 12;
/// 2⁵³ − 1: what a double holds exactly.
const NET_MAX: i64 = (1 << 53) - 1;

/// The ledger of one thread, or of several merged. Its memory is 8 bytes for each account, which the system
/// gives page by page when touched.
pub struct Ledger {
    nets: Vec<i64>,
    applied: u64,
    in_doubt: Vec<Transfer>,
}

/// Why a ledger cannot be kept; a trial without it has no result.
#[derive(Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// The machine has no memory for this many accounts.
    NoRoom(u64),
    /// The net effect on this account is beyond 2⁵³ − 1.
    Overflow(u32),
    /// The operation names an account that does not exist.
    NoSuchAccount(u32),
}

impl Ledger {
    /// An empty ledger.
    ///
    /// # Errors
    /// `NoRoom`.
    pub fn new(accounts: u64) -> Result<Self, LedgerError> {
        let no_room = || LedgerError::NoRoom(accounts);
        let length = usize::try_from(accounts).map_err(|_| no_room())?;
        // Asked for first, since the allocation itself would end the process.
        Vec::<i64>::new().try_reserve_exact(length).map_err(|_| no_room())?;
        Ok(Self { nets: vec![0; length], applied: 0, in_doubt: Vec::new() })
    }

    /// Adds the effect of an acknowledged transfer.
    ///
    /// # Errors
    /// `Overflow`, `NoSuchAccount`; then nothing was added.
    #[inline]
    pub fn record_applied(&mut self, transfer: &Transfer) -> Result<(), LedgerError> {
        let Transfer { source, target, amount } = *transfer;
        let paid = self.net(source)?.checked_sub(amount).filter(|net| net.abs() <= NET_MAX);
        let received = self.net(target)?.checked_add(amount).filter(|net| net.abs() <= NET_MAX);
        let paid = paid.ok_or(LedgerError::Overflow(source))?;
        received.ok_or(LedgerError::Overflow(target))?;
        self.applied += 1;
        // One after the other, so that a transfer to the same account has no effect.
        self.nets[source as usize] = paid;
        self.nets[target as usize] += amount;
        Ok(())
    }

    /// Copies a transfer that may have been applied.
    pub fn record_in_doubt(&mut self, transfer: &Transfer) {
        self.in_doubt.push(*transfer);
    }

    /// Adds the ledger of another thread of the same trial.
    ///
    /// # Errors
    /// `Overflow`, `NoSuchAccount`.
    pub fn merge(&mut self, other: &Self) -> Result<(), LedgerError> {
        for (account, net) in other.nets.iter().enumerate().filter(|(_, net)| **net != 0) {
            let account = account as u32;
            let sum = self.net(account)? + net;
            if sum.abs() > NET_MAX {
                return Err(LedgerError::Overflow(account));
            }
            self.nets[account as usize] = sum;
        }
        self.applied += other.applied;
        self.in_doubt.extend_from_slice(&other.in_doubt);
        Ok(())
    }

    /// The bytes of the ledger file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let records = self.nets.iter().filter(|net| **net != 0).count();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + records * RECORD_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.applied.to_le_bytes());
        bytes.extend_from_slice(&(records as u64).to_le_bytes());
        for (account, net) in self.nets.iter().enumerate().filter(|(_, net)| **net != 0) {
            bytes.extend_from_slice(&(account as u32).to_le_bytes());
            bytes.extend_from_slice(&net.to_le_bytes());
        }
        bytes
    }

    /// Operations in doubt, in the order in which they became so.
    #[must_use]
    pub fn in_doubt(&self) -> &[Transfer] {
        &self.in_doubt
    }

    fn net(&self, account: u32) -> Result<i64, LedgerError> {
        self.nets.get(account as usize).copied().ok_or(LedgerError::NoSuchAccount(account))
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("transfer ledger: ")?;
        match self {
            Self::NoRoom(accounts) => {
                let mib = accounts.saturating_mul(8).div_ceil(1 << 20);
                write!(formatter, "no room for {accounts} accounts ({mib} MiB); use fewer accounts")
            }
            Self::Overflow(account) => write!(
                formatter,
                "the net effect on account {account} is beyond 2^53 − 1; use smaller amounts or a shorter trial"
            ),
            Self::NoSuchAccount(account) => write!(formatter, "there is no account {account}"),
        }
    }
}

impl std::error::Error for LedgerError {}
