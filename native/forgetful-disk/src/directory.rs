//! One directory: its names now, and what each changed name stood for at the last flush.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// A name's inode, and the cookie by which a reader of the directory goes on after it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    inode: u64,
    cookie: u64,
}

/// The cookies of `.` and `..`; names have later ones.
const FIRST_COOKIE: u64 = 3;

/// A directory. Its durable map is the live one with `before` laid over it, so that a flush costs what has changed
/// and not what there is.
#[derive(Debug)]
pub(crate) struct Directory {
    /// The inode that `..` means.
    pub(crate) parent: u64,
    live: BTreeMap<OsString, Entry>,
    /// The same names by cookie: a cookie never changes its name, so a reader misses none while others come and go.
    order: BTreeMap<u64, OsString>,
    next_cookie: u64,
    /// What a name that has changed since the last flush stood for then.
    before: BTreeMap<OsString, Option<u64>>,
}

impl Directory {
    /// An empty directory whose emptiness is durable.
    pub(crate) fn new(parent: u64) -> Self {
        Self {
            parent,
            live: BTreeMap::new(),
            order: BTreeMap::new(),
            next_cookie: FIRST_COOKIE,
            before: BTreeMap::new(),
        }
    }

    /// The inode that a name stands for now.
    pub(crate) fn get(&self, name: &OsStr) -> Option<u64> {
        self.live.get(name).map(|entry| entry.inode)
    }

    /// Whether no name is left in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Lets a name stand for an inode, or for none, and answers what it stood for.
    pub(crate) fn set(&mut self, name: &OsStr, to: Option<u64>) -> Option<u64> {
        let was = self.put(name, to);
        match self.before.get(name) {
            None if was != to => {
                self.before.insert(name.to_owned(), was);
            }
            Some(before) if *before == to => {
                self.before.remove(name);
            }
            _ => {}
        }
        was
    }

    fn put(&mut self, name: &OsStr, to: Option<u64>) -> Option<u64> {
        let Some(inode) = to else {
            let gone = self.live.remove(name)?;
            self.order.remove(&gone.cookie);
            return Some(gone.inode);
        };
        if let Some(entry) = self.live.get_mut(name) {
            return Some(std::mem::replace(&mut entry.inode, inode));
        }
        let cookie = self.next_cookie;
        self.next_cookie += 1;
        self.live.insert(name.to_owned(), Entry { inode, cookie });
        self.order.insert(cookie, name.to_owned());
        None
    }

    /// Makes the live names durable. Answers each changed name's inode at the flush before, and now.
    pub(crate) fn flush(&mut self) -> Vec<(Option<u64>, Option<u64>)> {
        let before = std::mem::take(&mut self.before);
        before.into_iter().map(|(name, was)| (was, self.get(&name))).collect()
    }

    /// Makes the durable names live again.
    pub(crate) fn revert(&mut self) {
        for (name, was) in std::mem::take(&mut self.before) {
            self.put(&name, was);
        }
    }

    /// The names after a cookie, each with its cookie and inode.
    pub(crate) fn after(&self, cookie: u64) -> impl Iterator<Item = (u64, &OsStr, u64)> {
        let names = self.order.range(cookie.saturating_add(1)..);
        names.filter_map(|(cookie, name)| Some((*cookie, name.as_os_str(), self.get(name)?)))
    }

    /// The inodes of the live names.
    pub(crate) fn live(&self) -> impl Iterator<Item = (&OsStr, u64)> {
        self.live.iter().map(|(name, entry)| (name.as_os_str(), entry.inode))
    }

    /// The inodes of the durable names.
    pub(crate) fn durable(&self) -> impl Iterator<Item = (&OsStr, u64)> {
        let kept = self.live().filter(|(name, _)| !self.before.contains_key(*name));
        let gone = self.before.iter().filter_map(|(name, was)| Some((name.as_os_str(), (*was)?)));
        kept.chain(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durable(directory: &Directory) -> Vec<(&str, u64)> {
        let mut names: Vec<_> =
            directory.durable().map(|(name, inode)| (name.to_str().unwrap(), inode)).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn names_are_durable_when_flushed() {
        let mut directory = Directory::new(1);
        directory.set(OsStr::new("a"), Some(2));
        assert_eq!(durable(&directory), []);
        assert_eq!(directory.flush(), [(None, Some(2))]);
        directory.set(OsStr::new("a"), Some(3));
        directory.set(OsStr::new("b"), Some(4));
        assert_eq!(durable(&directory), [("a", 2)]);
        assert_eq!(directory.before.len(), 2);
        directory.revert();
        assert_eq!(directory.live().collect::<Vec<_>>(), [(OsStr::new("a"), 2)]);
    }

    #[test]
    fn a_name_that_is_back_has_not_changed() {
        let mut directory = Directory::new(1);
        directory.set(OsStr::new("a"), Some(2));
        directory.flush();
        assert_eq!(directory.set(OsStr::new("a"), None), Some(2));
        assert_eq!(directory.before.len(), 1);
        directory.set(OsStr::new("a"), Some(2));
        assert_eq!(directory.before.len(), 0);
    }

    #[test]
    fn a_reader_goes_on_where_it_was_while_names_come_and_go() {
        let mut directory = Directory::new(1);
        for (name, inode) in [("a", 2), ("b", 3), ("c", 4)] {
            directory.set(OsStr::new(name), Some(inode));
        }
        let (cookie, name, _) = directory.after(0).next().unwrap();
        assert_eq!(name, "a");
        directory.set(OsStr::new("a"), None);
        directory.set(OsStr::new("0"), Some(5));
        let rest: Vec<_> = directory.after(cookie).map(|(_, name, _)| name.to_owned()).collect();
        assert_eq!(rest, ["b", "c", "0"]);
    }
}
