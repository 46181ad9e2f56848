//! RocksDB. A transaction that writes is optimistic: its commit finds a conflict with what others wrote since its snapshot.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rocksdb::{
    BlockBasedOptions, Cache, DBAccess, DBCompressionType, DBRawIteratorWithThreadMode, Error, ErrorKind,
    OptimisticTransactionDB, OptimisticTransactionOptions, Options, ReadOptions, SnapshotWithThreadMode,
    Transaction, WriteOptions, properties,
};

use crate::engine::{
    Durability, Engine, EngineError, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed,
    in_doubt,
};

/// What is read back from the file in which RocksDB writes the options that it has in force.
const OPTIONS: [&str; 6] = [
    "write_buffer_size",
    "max_write_buffer_number",
    "compression",
    "use_fsync",
    "manual_wal_flush",
    "max_background_jobs",
];

/// An open database.
pub struct RocksDb {
    opened: Arc<Opened>,
    directory: PathBuf,
}

struct Opened {
    database: OptimisticTransactionDB,
    /// Held by a transaction that must be alone, and shared by all others that write.
    writers: RwLock<()>,
    syncs: bool,
}

impl Engine for RocksDb {
    type Handle = RocksDbHandle;

    fn version() -> String {
        "11.8.1".to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let directory = settings.directory.join("rocksdb");
        let mut blocks = BlockBasedOptions::default();
        blocks.set_block_cache(&Cache::new_lru_cache(as_size(settings.cache_bytes() / 2)?));
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_block_based_table_factory(&blocks);
        // It is not compiled in either; a library of the system could have it.
        options.set_compression_type(DBCompressionType::None);
        options.set_write_buffer_size(as_size(memtable_bytes(settings.cache_bytes()))?);
        let database = OptimisticTransactionDB::open(&options, &directory).map_err(failed)?;
        let syncs = settings.durability == Durability::Durable;
        Ok(Self { opened: Arc::new(Opened { database, writers: RwLock::new(()), syncs }), directory })
    }

    fn handle(&self) -> Result<RocksDbHandle> {
        let mut written = WriteOptions::default();
        written.set_sync(self.opened.syncs);
        let mut begun = OptimisticTransactionOptions::default();
        begun.set_snapshot(true);
        Ok(RocksDbHandle { opened: Arc::clone(&self.opened), written, begun })
    }

    fn compact(&mut self, _into: &Path) -> Result<bool> {
        self.opened.database.compact_range(None::<&[u8]>, None::<&[u8]>);
        Ok(true)
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let Opened { database, syncs, .. } = &*self.opened;
        let capacity = database.property_int_value(properties::BLOCK_CACHE_CAPACITY).map_err(failed)?;
        let mut settings = vec![InForce::requested("sync", syncs)];
        settings.extend(capacity.map(|bytes| InForce::read("block_cache_capacity", bytes)));
        let written = options_in_force(&self.directory)?;
        let value = |name| written.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        let version = value("rocksdb_version").unwrap_or("of no known version");
        if version != Self::version() {
            return Err(failed(format!(
                "this is RocksDB {version}, and not {} as its crate says",
                Self::version()
            )));
        }
        settings.extend(OPTIONS.into_iter().filter_map(|name| Some(InForce::read(name, value(name)?))));
        Ok(settings)
    }
}

fn as_size(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(failed)
}

/// RocksDB has two memtables. They share half of the cache, up to RocksDB's default of 64 MiB each; blocks that were read have the other half.
const fn memtable_bytes(cache_bytes: u64) -> u64 {
    const DEFAULT: u64 = 64 << 20;
    if cache_bytes / 4 < DEFAULT { cache_bytes / 4 } else { DEFAULT }
}

/// The text of the newest file of options: each time that it is opened, RocksDB writes one with the next number.
fn options_in_force(directory: &Path) -> Result<String> {
    let number = |name: &str| name.strip_prefix("OPTIONS-")?.parse::<u64>().ok();
    let entries = fs::read_dir(directory).map_err(failed)?;
    let newest = entries
        .flatten()
        .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
        .max()
        .ok_or_else(|| failed("RocksDB has written no file with its options"))?;
    fs::read_to_string(newest.1).map_err(failed)
}

/// The handle of a session.
pub struct RocksDbHandle {
    opened: Arc<Opened>,
    written: WriteOptions,
    begun: OptimisticTransactionOptions,
}

impl Handle for RocksDbHandle {
    type Reader<'a> = SnapshotRows<'a>;
    type Writer<'a> = TransactionRows<'a>;

    fn read<T>(&mut self, body: impl FnOnce(&SnapshotRows<'_>) -> Result<T>) -> Result<T> {
        body(&SnapshotRows(self.opened.database.snapshot()))
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut TransactionRows<'_>) -> Result<Finish<T>>) -> Result<T> {
        match self.attempt(&mut body, Writers::Shared(self.opened.writers.read().map_err(failed)?)) {
            // No other can be in its way now: it needs no third attempt.
            Err(EngineError::Conflict) => {
                self.attempt(&mut body, Writers::Alone(self.opened.writers.write().map_err(failed)?))
            }
            ended => ended,
        }
    }
}

impl RocksDbHandle {
    fn attempt<T>(
        &self,
        body: &mut impl FnMut(&mut TransactionRows<'_>) -> Result<Finish<T>>,
        writers: Writers<'_>,
    ) -> Result<T> {
        let transaction = self.opened.database.transaction_opt(&self.written, &self.begun);
        let mut reads = ReadOptions::default();
        reads.set_snapshot(&transaction.snapshot());
        let mut rows = TransactionRows { transaction, reads, writers };
        match body(&mut rows)? {
            Finish::Commit(result) => {
                let TransactionRows { transaction, writers: _held, .. } = rows;
                transaction.commit().map(|()| result).map_err(uncommitted)
            }
            Finish::Abort(result) => Ok(result),
        }
    }
}

/// Which other transactions may write meanwhile.
enum Writers<'a> {
    Shared(#[expect(dead_code, reason = "held until the transaction has ended")] RwLockReadGuard<'a, ()>),
    Alone(#[expect(dead_code, reason = "held until the transaction has ended")] RwLockWriteGuard<'a, ()>),
}

/// A commit that met a conflict, or could not know, wrote nothing.
fn uncommitted(error: Error) -> EngineError {
    match error.kind() {
        ErrorKind::Busy | ErrorKind::TryAgain => EngineError::Conflict,
        _ => in_doubt(error),
    }
}

/// The rows of a snapshot.
pub struct SnapshotRows<'a>(SnapshotWithThreadMode<'a, OptimisticTransactionDB>);

impl Read for SnapshotRows<'_> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = self.0.get_pinned(key).map_err(failed)?;
        Ok(value.map(|value| found(&value)).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        visit(self.0.raw_iterator(), range, each)
    }
}

/// The rows in a transaction.
pub struct TransactionRows<'a> {
    transaction: Transaction<'a, OptimisticTransactionDB>,
    /// At its snapshot.
    reads: ReadOptions,
    // Given back after the transaction.
    writers: Writers<'a>,
}

impl Read for TransactionRows<'_> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        // The commit also looks for writes of others to keys that were only read.
        let value = self.transaction.get_pinned_for_update_opt(key, true, &self.reads).map_err(failed)?;
        Ok(value.map(|value| found(&value)).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        // A commit looks for conflicts on keys, and not for keys that are new in a range.
        if matches!(self.writers, Writers::Shared(_)) {
            return Err(EngineError::Conflict);
        }
        visit(self.transaction.raw_iterator(), range, each)
    }
}

impl Write for TransactionRows<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.transaction.put(key, value).map_err(failed)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.transaction.delete(key).map_err(failed)
    }
}

fn visit<D: DBAccess>(
    mut entries: DBRawIteratorWithThreadMode<'_, D>,
    range: Range<'_>,
    mut each: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<()> {
    if range.descending {
        entries.seek_for_prev(range.high);
    } else {
        entries.seek(range.low);
    }
    while let Some((key, value)) = entries.item() {
        if key < range.low || key > range.high || !each(key, value) {
            break;
        }
        if range.descending {
            entries.prev();
        } else {
            entries.next();
        }
    }
    entries.status().map_err(failed)
}
