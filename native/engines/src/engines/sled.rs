//! sled 0.34, the stable product. A transaction over one tree is optimistic; it has no ranges.

use std::cell::RefCell;

use sled::transaction::{
    ConflictableTransactionError, TransactionError, TransactionalTree, UnabortableTransactionError,
};
use sled::{Config, Db, Tree};

use crate::engine::{
    Durability, Engine, EngineError, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed,
    in_doubt,
};

const TREE: &str = "rows";
/// sled's own default: how long an unflushed write may wait.
const FLUSH_EVERY_MS: u64 = 500;

/// An open database.
pub struct Sled {
    // Closed after the tree.
    rows: Tree,
    database: Db,
    durability: Durability,
    cache_bytes: u64,
}

impl Engine for Sled {
    type Handle = SledHandle;
    const SCANS: bool = false;

    fn version() -> String {
        "0.34.7".to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let Settings { durability, .. } = *settings;
        let flush_every_ms = (durability == Durability::Async).then_some(FLUSH_EVERY_MS);
        let database = Config::new()
            .path(settings.directory.join("sled"))
            .cache_capacity(settings.cache_bytes())
            .mode(sled::Mode::HighThroughput)
            .flush_every_ms(flush_every_ms)
            .open()
            .map_err(failed)?;
        let rows = database.open_tree(TREE).map_err(failed)?;
        Ok(Self { rows, database, durability, cache_bytes: settings.cache_bytes() })
    }

    fn handle(&self) -> Result<SledHandle> {
        Ok(SledHandle { rows: self.rows.clone(), flushes: self.durability == Durability::Durable })
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let flush = if self.durability == Durability::Durable { "each transaction" } else { "every 500 ms" };
        Ok(vec![
            InForce::requested("flush", flush),
            InForce::requested("cache_capacity", self.cache_bytes),
            InForce::requested("mode", "high throughput"),
        ])
    }
}

impl Drop for Sled {
    fn drop(&mut self) {
        // What cannot be flushed now is what a crash would lose: the audit sees it.
        let _unflushed = self.database.flush();
    }
}

/// The handle of a session.
pub struct SledHandle {
    rows: Tree,
    flushes: bool,
}

impl Handle for SledHandle {
    type Reader<'a> = SledRows<'a>;
    type Writer<'a> = SledRows<'a>;

    fn read<T>(&mut self, body: impl FnOnce(&SledRows<'_>) -> Result<T>) -> Result<T> {
        // One key at a time: sled has no snapshot of several. Operations that read more are write transactions.
        body(&SledRows::Tree(&self.rows))
    }

    fn write<T>(&mut self, body: impl FnMut(&mut SledRows<'_>) -> Result<Finish<T>>) -> Result<T> {
        let flushes = self.flushes;
        let body = RefCell::new(body);
        let ended = self.rows.transaction(|transaction| {
            let finish =
                (body.borrow_mut())(&mut SledRows::Transaction(transaction)).map_err(
                    |error| match error {
                        EngineError::Conflict => ConflictableTransactionError::Conflict,
                        error => ConflictableTransactionError::Abort(Stopped::Error(error)),
                    },
                )?;
            match finish {
                Finish::Commit(result) => {
                    if flushes {
                        transaction.flush();
                    }
                    Ok(result)
                }
                Finish::Abort(result) => Err(ConflictableTransactionError::Abort(Stopped::Result(result))),
            }
        });
        ended.or_else(|error| match error {
            TransactionError::Abort(Stopped::Result(result)) => Ok(result),
            TransactionError::Abort(Stopped::Error(error)) => Err(error),
            TransactionError::Storage(error) => Err(in_doubt(error)),
        })
    }
}

/// How a transaction ended without effect.
enum Stopped<T> {
    Result(T),
    Error(EngineError),
}

/// What a session reads from.
pub enum SledRows<'a> {
    /// The latest value of each key.
    Tree(&'a Tree),
    /// A transaction's.
    Transaction(&'a TransactionalTree),
}

impl Read for SledRows<'_> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = match self {
            Self::Tree(rows) => rows.get(key).map_err(failed)?,
            Self::Transaction(rows) => rows.get(key).map_err(stopped)?,
        };
        Ok(value.map(|value| found(&value)).is_some())
    }

    fn scan(&self, range: Range<'_>, mut each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        let Self::Tree(rows) = self else {
            return Err(failed("sled has no range in a transaction"));
        };
        let mut entries = rows.range(range.low..=range.high);
        while let Some(entry) = range.next(&mut entries) {
            let (key, value) = entry.map_err(failed)?;
            if !each(&key, &value) {
                break;
            }
        }
        Ok(())
    }
}

impl Write for SledRows<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        match self {
            Self::Tree(rows) => rows.insert(key, value).map(drop).map_err(failed),
            Self::Transaction(rows) => rows.insert(key, value).map(drop).map_err(stopped),
        }
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        match self {
            Self::Tree(rows) => rows.remove(key).map(drop).map_err(failed),
            Self::Transaction(rows) => rows.remove(key).map(drop).map_err(stopped),
        }
    }
}

fn stopped(error: UnabortableTransactionError) -> EngineError {
    match error {
        UnabortableTransactionError::Conflict => EngineError::Conflict,
        UnabortableTransactionError::Storage(error) => failed(error),
    }
}
