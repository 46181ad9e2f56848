//! redb. Every read is a snapshot of its own; one transaction writes at a time.

use std::path::Path;
use std::sync::Arc;

use redb::{Database, ReadableDatabase as _, ReadableTable, TableDefinition};

use crate::engine::{
    Durability, Engine, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed, in_doubt,
};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
const FILE: &str = "rows.redb";

/// An open database.
pub struct Redb {
    database: Arc<Database>,
    durability: Durability,
    cache_bytes: usize,
}

impl Engine for Redb {
    type Handle = RedbHandle;

    fn version() -> String {
        "4.6.0".to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let cache_bytes = usize::try_from(settings.cache_bytes()).map_err(failed)?;
        let database = Database::builder()
            .set_cache_size(cache_bytes)
            .create(settings.directory.join(FILE))
            .map_err(failed)?;
        // A read needs the table to be there.
        let transaction = database.begin_write().map_err(failed)?;
        transaction.open_table(ROWS).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(Self { database: Arc::new(database), durability: settings.durability, cache_bytes })
    }

    fn handle(&self) -> Result<RedbHandle> {
        let durability = match self.durability {
            Durability::Durable => redb::Durability::Immediate,
            Durability::Async => redb::Durability::None,
        };
        Ok(RedbHandle { database: Arc::clone(&self.database), durability })
    }

    fn compact(&mut self, _into: &Path) -> Result<bool> {
        let database = Arc::get_mut(&mut self.database).ok_or_else(|| failed("a session has it open"))?;
        // What an earlier compaction leaves is done by the next.
        while database.compact().map_err(failed)? {}
        Ok(true)
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let durability = if self.durability == Durability::Durable { "immediate" } else { "none" };
        Ok(vec![
            InForce::requested("durability", durability),
            InForce::requested("cache_size", self.cache_bytes),
        ])
    }
}

/// The handle of a session.
pub struct RedbHandle {
    database: Arc<Database>,
    durability: redb::Durability,
}

impl Handle for RedbHandle {
    type Reader<'a> = Rows<redb::ReadOnlyTable<&'static [u8], &'static [u8]>>;
    type Writer<'a> = Rows<redb::Table<'a, &'static [u8], &'static [u8]>>;

    #[inline]
    fn read<T>(&mut self, body: impl FnOnce(&Self::Reader<'_>) -> Result<T>) -> Result<T> {
        let transaction = self.database.begin_read().map_err(failed)?;
        body(&Rows(transaction.open_table(ROWS).map_err(failed)?))
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut Self::Writer<'_>) -> Result<Finish<T>>) -> Result<T> {
        let mut transaction = self.database.begin_write().map_err(failed)?;
        transaction.set_durability(self.durability).map_err(failed)?;
        let finish = body(&mut Rows(transaction.open_table(ROWS).map_err(failed)?))?;
        match finish {
            Finish::Commit(result) => transaction.commit().map(|()| result).map_err(in_doubt),
            Finish::Abort(result) => transaction.abort().map(|()| result).map_err(failed),
        }
    }
}

/// The rows in a transaction.
pub struct Rows<T>(T);

impl<T: ReadableTable<&'static [u8], &'static [u8]>> Read for Rows<T> {
    #[inline]
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let value = self.0.get(key).map_err(failed)?;
        Ok(value.map(|value| found(value.value())).is_some())
    }

    fn scan(&self, range: Range<'_>, mut each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        let mut entries = self.0.range(range.low..=range.high).map_err(failed)?;
        while let Some(entry) = range.next(&mut entries) {
            let (key, value) = entry.map_err(failed)?;
            if !each(key.value(), value.value()) {
                break;
            }
        }
        Ok(())
    }
}

impl Write for Rows<redb::Table<'_, &'static [u8], &'static [u8]>> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.0.insert(key, value).map(drop).map_err(failed)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.0.remove(key).map(drop).map_err(failed)
    }
}
