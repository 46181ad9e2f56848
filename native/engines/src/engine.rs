//! What the sessions and the control plane need of an engine. One file in `engines/` is all that an engine adds.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// When an acknowledged operation is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// When it is acknowledged.
    Durable,
    /// Some time later.
    Async,
}

/// How an engine is opened.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// An existing directory, whose files are this engine's alone.
    pub directory: PathBuf,
    /// What a write waits for.
    pub durability: Durability,
    /// The same for all engines: of what each of them calls its cache.
    pub cache_mb: u64,
}

impl Settings {
    /// The cache in bytes.
    #[must_use]
    pub const fn cache_bytes(&self) -> u64 {
        self.cache_mb << 20
    }
}

/// Why there is no engine, or a transaction has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// Another transaction was in the way: try it again.
    #[error("a conflict with another transaction")]
    Conflict,
    /// Nothing of it was applied.
    #[error("{0}")]
    Failed(String),
    /// It failed while it was committed: it may have been applied.
    #[error("{0}")]
    InDoubt(String),
    /// What was given is not of its form, or no engine can do it: nothing was begun.
    #[error("{0}")]
    Invalid(String),
}

/// Of this crate.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// An error before the commit.
pub fn failed<E: std::fmt::Display>(error: E) -> EngineError {
    EngineError::Failed(error.to_string())
}

/// An error of the commit.
pub fn in_doubt<E: std::fmt::Display>(error: E) -> EngineError {
    EngineError::InDoubt(error.to_string())
}

/// An error of what was given.
pub fn invalid(reason: impl Into<String>) -> EngineError {
    EngineError::Invalid(reason.into())
}

/// A setting that is in force, and whether the engine itself says so.
#[derive(Clone, Debug)]
pub struct InForce {
    /// By the engine's own name.
    pub name: &'static str,
    /// As text.
    pub value: String,
    /// Whether it was read back; otherwise it is what was requested of the engine.
    pub read: bool,
}

impl InForce {
    /// Read back from the engine.
    pub fn read(name: &'static str, value: impl std::fmt::Display) -> Self {
        Self { name, value: value.to_string(), read: true }
    }

    /// Requested of an engine that does not say what is in force.
    pub fn requested(name: &'static str, value: impl std::fmt::Display) -> Self {
        Self { name, value: value.to_string(), read: false }
    }
}

/// An open storage engine: ordered bytes under keys of bytes. It is closed when it is dropped, after its handles.
pub trait Engine: Sized + Send + Sync + 'static {
    /// Its version, as it says itself or as its package is named.
    fn version() -> String;
    /// What a session holds.
    type Handle: Handle;
    /// Opens the files of a directory, or makes them.
    ///
    /// # Errors
    /// That of the engine, such as of a lock that another process holds.
    fn open(settings: &Settings) -> Result<Self>;
    /// A handle for a session of any thread.
    ///
    /// # Errors
    /// That of the engine.
    fn handle(&self) -> Result<Self::Handle>;
    /// The settings that matter for a comparison.
    ///
    /// # Errors
    /// That of the engine.
    fn settings(&self) -> Result<Vec<InForce>>;
    /// Compacts its files, or writes a compact copy into an empty directory; it has no handles meanwhile. Returns whether
    /// the engine has a compaction.
    ///
    /// # Errors
    /// That of the engine.
    fn compact(&mut self, _into: &Path) -> Result<bool> {
        Ok(false)
    }
    /// Whether its transactions see a range of keys at one moment.
    const SCANS: bool = true;
}

/// An engine from the view of a session, on one thread.
pub trait Handle: 'static {
    /// What a read-only transaction sees.
    type Reader<'a>: Read
    where
        Self: 'a;
    /// A transaction that may write.
    type Writer<'a>: Write
    where
        Self: 'a;
    /// One snapshot.
    ///
    /// # Errors
    /// That of the engine, or the body's.
    fn read<T>(&mut self, body: impl FnOnce(&Self::Reader<'_>) -> Result<T>) -> Result<T>;
    /// One serializable transaction; the body is tried again after a conflict. An error of the body ends it without
    /// effect.
    ///
    /// # Errors
    /// That of the engine, or the body's.
    fn write<T>(&mut self, body: impl FnMut(&mut Self::Writer<'_>) -> Result<Finish<T>>) -> Result<T>;
}

/// How a transaction ends.
#[derive(Debug)]
pub enum Finish<T> {
    /// With its writes.
    Commit(T),
    /// Without effect: nothing was written.
    Abort(T),
}

/// Reading in a transaction.
pub trait Read {
    /// Passes the value of a key on; returns whether there is one.
    ///
    /// # Errors
    /// That of the engine.
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool>;
    /// Passes the entries of a range, both ends included, in the order of their keys, until `each` returns false. It is empty
    /// where the least key is above the greatest.
    ///
    /// # Errors
    /// That of the engine.
    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()>;
}

/// Writing in a transaction, whose own reads see it.
pub trait Write: Read {
    /// Inserts or replaces.
    ///
    /// # Errors
    /// That of the engine.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Removes a key, if it is there.
    ///
    /// # Errors
    /// That of the engine.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
}

/// A range of keys.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// The least key.
    pub low: &'a [u8],
    /// The greatest.
    pub high: &'a [u8],
    /// From the greatest to the least.
    pub descending: bool,
}

impl Range<'_> {
    /// The next entry in its order.
    pub fn next<T>(&self, entries: &mut impl DoubleEndedIterator<Item = T>) -> Option<T> {
        if self.descending { entries.next_back() } else { entries.next() }
    }
}
