//! LMDB through heed. Readers see a snapshot and wait for nobody; one transaction writes at a time.

use std::ops::Bound;
use std::path::Path;

use heed::types::Bytes;
use heed::{CommitOrAbort, CompactionOption, Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithTls};

use crate::engine::{
    Durability, Engine, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed, in_doubt,
};

type Rows = Database<'static, Bytes, Bytes>;
/// The most that the file may grow to. Only what is used takes room: pages are cached by the operating system.
const MAP_BYTES: usize = 16 << 30;
/// A session's read transaction takes one while it lasts.
const READERS_MAX: u32 = 512;

/// An open environment.
pub struct Lmdb {
    environment: Env,
    rows: Rows,
}

impl Engine for Lmdb {
    type Handle = LmdbHandle;

    fn version() -> String {
        let heed::LmdbVersion { major, minor, patch, .. } = heed::lmdb_version();
        format!("{major}.{minor}.{patch}")
    }

    fn open(settings: &Settings) -> Result<Self> {
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_BYTES).max_readers(READERS_MAX);
        let flags = match settings.durability {
            Durability::Durable => EnvFlags::empty(),
            Durability::Async => EnvFlags::NO_SYNC,
        };
        #[expect(
            unsafe_code,
            reason = "LMDB maps a file, which must not be changed but by LMDB: it is in a directory of our own"
        )]
        let environment = unsafe { options.flags(flags).open(&settings.directory) }.map_err(failed)?;
        let rows = environment
            .create_databases_and_commit(environment.write_txn().map_err(failed)?, |opener, transaction| {
                opener.create_database::<Bytes, Bytes>(transaction, None).map(CommitOrAbort::<_, ()>::Commit)
            })
            .map_err(failed::<heed::Error>)?
            .unwrap_commit();
        Ok(Self { environment, rows })
    }

    fn handle(&self) -> Result<LmdbHandle> {
        Ok(LmdbHandle { environment: self.environment.clone(), rows: self.rows })
    }

    /// It has none in place: free pages stay in its file.
    fn compact(&mut self, into: &Path) -> Result<bool> {
        let copied = self.environment.copy_to_path(into.join("data.mdb"), CompactionOption::Enabled);
        copied.map(|_| true).map_err(failed)
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let flags = self.environment.get_flags().map_err(failed)?;
        let is_set = |flag: EnvFlags| flags & flag.bits() != 0;
        Ok(vec![
            InForce::read("noSync", is_set(EnvFlags::NO_SYNC) || is_set(EnvFlags::NO_META_SYNC)),
            InForce::read("writeMap", is_set(EnvFlags::WRITE_MAP)),
            // The package for Node has it on by default; LMDB itself has no such thing.
            InForce::read("overlappingSync", false),
            InForce::read("mapSize", self.environment.info().map_size),
        ])
    }
}

/// The handle of a session.
pub struct LmdbHandle {
    environment: Env,
    rows: Rows,
}

impl Handle for LmdbHandle {
    type Reader<'a> = Reader<'a>;
    type Writer<'a> = Writer<'a>;

    #[inline]
    fn read<T>(&mut self, body: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        let transaction = self.environment.read_txn().map_err(failed)?;
        body(&Reader { transaction, rows: self.rows })
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut Writer<'_>) -> Result<Finish<T>>) -> Result<T> {
        let transaction = self.environment.write_txn().map_err(failed)?;
        let mut writer = Writer { transaction, rows: self.rows };
        match body(&mut writer)? {
            Finish::Commit(result) => writer.transaction.commit().map(|()| result).map_err(in_doubt),
            Finish::Abort(result) => Ok(result),
        }
    }
}

/// A snapshot.
pub struct Reader<'a> {
    transaction: RoTxn<'a, WithTls>,
    rows: Rows,
}

/// A write transaction.
pub struct Writer<'a> {
    transaction: RwTxn<'a>,
    rows: Rows,
}

impl Read for Reader<'_> {
    #[inline]
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = self.rows.get(&self.transaction, key).map_err(failed)?;
        Ok(value.map(found).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        scan(self.rows, &self.transaction, range, each)
    }
}

impl Read for Writer<'_> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = self.rows.get(&self.transaction, key).map_err(failed)?;
        Ok(value.map(found).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        scan(self.rows, &self.transaction, range, each)
    }
}

impl Write for Writer<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.rows.put(&mut self.transaction, key, value).map_err(failed)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.rows.delete(&mut self.transaction, key).map(drop).map_err(failed)
    }
}

fn scan(
    rows: Rows,
    transaction: &RoTxn<'_>,
    Range { low, high, descending }: Range<'_>,
    mut each: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<()> {
    let bounds = (Bound::Included(low), Bound::Included(high));
    if descending {
        for entry in rows.rev_range(transaction, &bounds).map_err(failed)? {
            let (key, value) = entry.map_err(failed)?;
            if !each(key, value) {
                break;
            }
        }
        return Ok(());
    }
    for entry in rows.range(transaction, &bounds).map_err(failed)? {
        let (key, value) = entry.map_err(failed)?;
        if !each(key, value) {
            break;
        }
    }
    Ok(())
}
