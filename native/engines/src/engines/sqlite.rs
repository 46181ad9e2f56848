//! SQLite through rusqlite: one table of keys and values. Each session has a connection; one writes at a time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{
    CachedStatement, Connection, OptionalExtension as _, Transaction, TransactionBehavior, params,
};

use crate::engine::{
    Durability, Engine, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed, in_doubt,
};

const FILE: &str = "rows.sqlite";
const BUSY_MAX: Duration = Duration::from_secs(10);
const CREATE: &str =
    "CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID";
const GET: &str = "SELECT value FROM rows WHERE key = ?1";
const PUT: &str =
    "INSERT INTO rows (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const DELETE: &str = "DELETE FROM rows WHERE key = ?1";
const UP: &str = "SELECT key, value FROM rows WHERE key BETWEEN ?1 AND ?2 ORDER BY key";
const DOWN: &str = "SELECT key, value FROM rows WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC";

/// The file, and how it is opened.
pub struct Sqlite {
    path: PathBuf,
    durability: Durability,
    cache_kib: u64,
}

impl Engine for Sqlite {
    type Handle = SqliteHandle;

    fn version() -> String {
        rusqlite::version().to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let Settings { durability, cache_mb, .. } = *settings;
        let engine = Self { path: settings.directory.join(FILE), durability, cache_kib: cache_mb << 10 };
        engine.connect()?.execute_batch(CREATE).map_err(failed)?;
        Ok(engine)
    }

    fn handle(&self) -> Result<SqliteHandle> {
        Ok(SqliteHandle(self.connect()?))
    }

    fn compact(&mut self, _into: &Path) -> Result<bool> {
        let compacted = self.connect()?.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        compacted.map(|()| true).map_err(failed)
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        let connection = self.connect()?;
        let read = |name: &'static str| {
            let value = connection.pragma_query_value(None, name, |row| {
                row.get::<_, rusqlite::types::Value>(0).map(|value| match value {
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    rusqlite::types::Value::Text(text) => text,
                    other => format!("{other:?}"),
                })
            });
            value.map(|value| InForce::read(name, value)).map_err(failed)
        };
        ["journal_mode", "synchronous", "cache_size", "page_size"].into_iter().map(read).collect()
    }
}

impl Sqlite {
    fn connect(&self) -> Result<Connection> {
        let connection = Connection::open(&self.path).map_err(failed)?;
        connection.busy_timeout(BUSY_MAX).map_err(failed)?;
        let synchronous = if self.durability == Durability::Durable { "FULL" } else { "NORMAL" };
        let set = |name, value: &str| connection.pragma_update(None, name, value).map_err(failed);
        set("journal_mode", "WAL")?;
        set("synchronous", synchronous)?;
        // Negative: KiB.
        connection.pragma_update(None, "cache_size", -(self.cache_kib as i64)).map_err(failed)?;
        Ok(connection)
    }
}

/// A session's connection.
pub struct SqliteHandle(Connection);

impl Handle for SqliteHandle {
    type Reader<'a> = Rows<'a>;
    type Writer<'a> = Rows<'a>;

    fn read<T>(&mut self, body: impl FnOnce(&Rows<'_>) -> Result<T>) -> Result<T> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Deferred).map_err(failed)?;
        let rows = Rows(transaction);
        body(&rows)
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut Rows<'_>) -> Result<Finish<T>>) -> Result<T> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let mut rows = Rows(transaction);
        match body(&mut rows)? {
            Finish::Commit(result) => rows.0.commit().map(|()| result).map_err(in_doubt),
            Finish::Abort(result) => Ok(result),
        }
    }
}

/// The rows in a transaction, which is rolled back unless it is committed.
pub struct Rows<'a>(Transaction<'a>);

impl Rows<'_> {
    fn statement(&self, sql: &str) -> Result<CachedStatement<'_>> {
        self.0.prepare_cached(sql).map_err(failed)
    }
}

impl Read for Rows<'_> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        let mut statement = self.statement(GET)?;
        let passed =
            statement.query_row([key], |row| row.get_ref(0)?.as_blob().map(found).map_err(Into::into));
        Ok(passed.optional().map_err(failed)?.is_some())
    }

    fn scan(&self, range: Range<'_>, mut each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        let mut statement = self.statement(if range.descending { DOWN } else { UP })?;
        let mut rows = statement.query(params![range.low, range.high]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let blob =
                |place| -> Result<&[u8]> { row.get_ref(place).map_err(failed)?.as_blob().map_err(failed) };
            if !each(blob(0)?, blob(1)?) {
                break;
            }
        }
        Ok(())
    }
}

impl Write for Rows<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.statement(PUT)?.execute(params![key, value]).map(drop).map_err(failed)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.statement(DELETE)?.execute([key]).map(drop).map_err(failed)
    }
}
