//! fjall. Readers see a snapshot; one transaction writes at a time.

use std::path::Path;

use fjall::{
    KeyspaceCreateOptions, PersistMode, Readable, SingleWriterTxDatabase, SingleWriterTxKeyspace, Snapshot,
};

use crate::engine::{
    Durability, Engine, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed, in_doubt,
};

const KEYSPACE: &str = "rows";

/// An open database.
pub struct Fjall {
    database: SingleWriterTxDatabase,
    rows: SingleWriterTxKeyspace,
    persist: PersistMode,
    cache_bytes: u64,
}

impl Engine for Fjall {
    type Handle = FjallHandle;

    fn version() -> String {
        "3.1.13".to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let cache_bytes = settings.cache_bytes();
        let database = SingleWriterTxDatabase::builder(settings.directory.join("fjall"))
            .cache_size(cache_bytes / 2)
            .open()
            .map_err(failed)?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(memtable_bytes(cache_bytes));
        let rows = database.keyspace(KEYSPACE, options).map_err(failed)?;
        let persist = match settings.durability {
            Durability::Durable => PersistMode::SyncAll,
            Durability::Async => PersistMode::Buffer,
        };
        Ok(Self { database, rows, persist, cache_bytes })
    }

    fn handle(&self) -> Result<FjallHandle> {
        let Self { database, rows, persist, .. } = self;
        Ok(FjallHandle { database: database.clone(), rows: rows.clone(), persist: *persist })
    }

    fn compact(&mut self, _into: &Path) -> Result<bool> {
        let rows = self.rows.inner();
        rows.rotate_memtable_and_wait().map_err(failed)?;
        rows.major_compact().map(|()| true).map_err(failed)
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let persist = if self.persist == PersistMode::SyncAll { "sync all" } else { "buffer" };
        Ok(vec![
            InForce::requested("persist_mode", persist),
            InForce::requested("cache_size", self.cache_bytes / 2),
            InForce::requested("max_memtable_size", memtable_bytes(self.cache_bytes)),
        ])
    }
}

/// Half of the cache is for blocks that were read, and half for the memtable, up to fjall's default.
const fn memtable_bytes(cache_bytes: u64) -> u64 {
    const DEFAULT: u64 = 64 << 20;
    if cache_bytes / 2 < DEFAULT { cache_bytes / 2 } else { DEFAULT }
}

/// The handle of a session.
pub struct FjallHandle {
    database: SingleWriterTxDatabase,
    rows: SingleWriterTxKeyspace,
    persist: PersistMode,
}

impl Handle for FjallHandle {
    type Reader<'a> = Rows<'a, Snapshot>;
    type Writer<'a> = Rows<'a, fjall::SingleWriterWriteTx<'a>>;

    fn read<T>(&mut self, body: impl FnOnce(&Self::Reader<'_>) -> Result<T>) -> Result<T> {
        body(&Rows { view: self.database.read_tx(), rows: &self.rows })
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut Self::Writer<'_>) -> Result<Finish<T>>) -> Result<T> {
        let view = self.database.write_tx().durability(Some(self.persist));
        let mut writer = Rows { view, rows: &self.rows };
        match body(&mut writer)? {
            Finish::Commit(result) => writer.view.commit().map(|()| result).map_err(in_doubt),
            Finish::Abort(result) => {
                writer.view.rollback();
                Ok(result)
            }
        }
    }
}

/// The rows in a transaction.
pub struct Rows<'a, V> {
    view: V,
    rows: &'a SingleWriterTxKeyspace,
}

impl<V: Readable> Read for Rows<'_, V> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = self.view.get(self.rows, key).map_err(failed)?;
        Ok(value.map(|value| found(&value)).is_some())
    }

    fn scan(&self, range: Range<'_>, mut each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        let mut entries = self.view.range(self.rows, range.low..=range.high);
        while let Some(entry) = range.next(&mut entries) {
            let (key, value) = entry.into_inner().map_err(failed)?;
            if !each(&key, &value) {
                break;
            }
        }
        Ok(())
    }
}

impl Write for Rows<'_, fjall::SingleWriterWriteTx<'_>> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.view.insert(self.rows, key, value);
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.view.remove(self.rows, key);
        Ok(())
    }
}
