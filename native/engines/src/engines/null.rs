//! No storage: rows in memory, written to a file when it is closed, so that another process finds them. It shows the
//! harness's own share.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::engine::{Engine, Finish, Handle, InForce, Range, Read, Result, Settings, Write, failed};

const FILE: &str = "rows.null";
/// Rows of a table's first keys are found by their number alone.
const NUMBERED_MAX: usize = 1 << 20;

/// The rows of all tables.
#[derive(Default)]
pub struct Rows {
    /// Of table 0, by key.
    numbered: Vec<Option<Box<[u8]>>>,
    others: BTreeMap<Box<[u8]>, Box<[u8]>>,
}

/// Rows in memory.
pub struct Null {
    path: PathBuf,
    rows: Arc<RwLock<Rows>>,
}

impl Engine for Null {
    type Handle = NullHandle;
    const SCANS: bool = false;

    fn version() -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn open(settings: &Settings) -> Result<Self> {
        let path = settings.directory.join(FILE);
        let bytes = if path.exists() { fs::read(&path).map_err(failed)? } else { Vec::new() };
        let mut rows = Rows::default();
        let mut rest = bytes.as_slice();
        while let Some((key, after)) = part(rest) {
            let (value, after) = part(after).ok_or_else(|| failed("its file is cut"))?;
            rows.set(key, Some(value));
            rest = after;
        }
        Ok(Self { path, rows: Arc::new(RwLock::new(rows)) })
    }

    fn handle(&self) -> Result<NullHandle> {
        Ok(NullHandle(Arc::clone(&self.rows)))
    }

    fn settings(&self) -> Result<Vec<InForce>> {
        Ok(Vec::new())
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        let Ok(rows) = self.rows.read() else { return };
        let mut bytes = Vec::new();
        let mut append = |key: &[u8], value: &[u8]| {
            for part in [key, value] {
                bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
                bytes.extend_from_slice(part);
            }
        };
        for (number, value) in rows.numbered.iter().enumerate() {
            if let Some(value) = value {
                append(&[&[0], &(number as u32).to_be_bytes()[..]].concat(), value);
            }
        }
        rows.others.iter().for_each(|(key, value)| append(key, value));
        // A calibration target promises no durability.
        let _unwritten = fs::write(&self.path, bytes);
    }
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

impl Rows {
    #[inline]
    fn value(&self, key: &[u8]) -> Option<&[u8]> {
        match number_of(key) {
            Some(number) => self.numbered.get(number)?.as_deref(),
            None => self.others.get(key).map(AsRef::as_ref),
        }
    }

    fn set(&mut self, key: &[u8], value: Option<&[u8]>) {
        match (number_of(key), value) {
            (Some(number), value) => {
                if number >= self.numbered.len() {
                    self.numbered.resize(number + 1, None);
                }
                match (&mut self.numbered[number], value) {
                    // What it costs is the harness's, not an allocator's.
                    (Some(stored), Some(value)) if stored.len() == value.len() => {
                        stored.copy_from_slice(value);
                    }
                    (stored, value) => *stored = value.map(Into::into),
                }
            }
            (None, Some(value)) => drop(self.others.insert(key.into(), value.into())),
            (None, None) => drop(self.others.remove(key)),
        }
    }
}

#[inline]
fn number_of(key: &[u8]) -> Option<usize> {
    let [0, number @ ..] = key else { return None };
    let number = u32::from_be_bytes(*<&[u8; 4]>::try_from(number).ok()?) as usize;
    (number < NUMBERED_MAX).then_some(number)
}

/// The handle of a session.
pub struct NullHandle(Arc<RwLock<Rows>>);

impl Handle for NullHandle {
    type Reader<'a> = RwLockReadGuard<'a, Rows>;
    type Writer<'a> = RwLockWriteGuard<'a, Rows>;

    #[inline]
    fn read<T>(&mut self, body: impl FnOnce(&Self::Reader<'_>) -> Result<T>) -> Result<T> {
        body(&self.0.read().map_err(failed)?)
    }

    fn write<T>(&mut self, mut body: impl FnMut(&mut Self::Writer<'_>) -> Result<Finish<T>>) -> Result<T> {
        let (Finish::Commit(result) | Finish::Abort(result)) = body(&mut self.0.write().map_err(failed)?)?;
        Ok(result)
    }
}

impl Read for RwLockReadGuard<'_, Rows> {
    #[inline]
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        Ok(self.value(key).map(found).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        scan(self, range, each);
        Ok(())
    }
}

impl Read for RwLockWriteGuard<'_, Rows> {
    fn get(&self, key: &[u8], found: impl FnOnce(&[u8])) -> Result<bool> {
        Ok(self.value(key).map(found).is_some())
    }

    fn scan(&self, range: Range<'_>, each: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        scan(self, range, each);
        Ok(())
    }
}

impl Write for RwLockWriteGuard<'_, Rows> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.set(key, Some(value));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.set(key, None);
        Ok(())
    }
}

/// For the control plane, which reads table by table: those of table 0, or the others.
fn scan(rows: &Rows, range: Range<'_>, mut each: impl FnMut(&[u8], &[u8]) -> bool) {
    let numbered = rows.numbered.iter().enumerate().filter_map(|(number, value)| {
        let key = [&[0], &(number as u32).to_be_bytes()[..]].concat();
        Some((key, value.as_deref()?))
    });
    let others = rows.others.iter().map(|(key, value)| (key.to_vec(), value.as_ref()));
    let is_in = |key: &[u8]| range.low <= key && key <= range.high;
    let mut entries: Vec<_> = numbered.chain(others).filter(|(key, _)| is_in(key)).collect();
    entries.sort();
    let mut entries = entries.into_iter();
    while let Some((key, value)) = range.next(&mut entries) {
        if !each(&key, value) {
            break;
        }
    }
}
