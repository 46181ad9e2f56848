//! The names of all files: inodes, the directories that name them, and which of the names would outlast a power cut.
//!
//! What POSIX promises is what counts: a name is durable when its directory has been flushed, and flushing a file
//! makes only the file's content durable. Other file systems keep more (ext4 often makes a new file's name durable
//! together with its content), but a database must not count on it. A rename across directories is undone or kept in
//! each of the two by itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::SystemTime;

use nix::errno::Errno;

use crate::directory::Directory;

mod durability;
#[cfg(test)]
mod tests;

/// The root directory's inode.
pub(crate) const ROOT: u64 = 1;

/// The longest name in bytes.
pub(crate) const LONGEST_NAME: usize = 255;

/// What an inode is. `F` is what a regular file's content is kept in.
#[derive(Debug)]
pub(crate) enum Kind<F> {
    Directory(Directory),
    File(F),
    Link(OsString),
    /// A socket, a pipe or a device: the kernel needs nothing but its mode.
    Special,
}

/// What `stat` says of an inode, but for its size. These are never forgotten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes {
    /// Type and permissions, as in `st_mode`.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) device: u32,
    pub(crate) accessed: SystemTime,
    pub(crate) modified: SystemTime,
    pub(crate) changed: SystemTime,
}

/// An inode, and what keeps it.
#[derive(Debug)]
pub(crate) struct Inode<F> {
    pub(crate) kind: Kind<F>,
    pub(crate) attributes: Attributes,
    /// The live names that stand for it.
    pub(crate) links: u32,
    /// The durable names that stand for it: after a power cut they would be its names.
    durable_links: u32,
    /// The lookups and open handles that the kernel has not given back.
    held: u64,
}

/// Which way a rename goes if the new name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rename {
    Replace,
    KeepExisting,
    Exchange,
}

/// All inodes.
#[derive(Debug)]
pub(crate) struct Names<F> {
    inodes: BTreeMap<u64, Inode<F>>,
    next: u64,
    /// Contents of files that are no more, for the caller to remove.
    dropped: Vec<F>,
}

impl<F> Names<F> {
    /// An empty root directory.
    pub(crate) fn new(root: Attributes) -> Self {
        let kind = Kind::Directory(Directory::new(ROOT));
        let root = Inode { kind, attributes: root, links: 1, durable_links: 1, held: 0 };
        Self { inodes: BTreeMap::from([(ROOT, root)]), next: ROOT + 1, dropped: Vec::new() }
    }

    /// The number of an inode that is to be added. No number is given twice.
    pub(crate) fn reserve(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub(crate) fn inode(&self, number: u64) -> Result<&Inode<F>, Errno> {
        self.inodes.get(&number).ok_or(Errno::ESTALE)
    }

    pub(crate) fn inode_mut(&mut self, number: u64) -> Result<&mut Inode<F>, Errno> {
        self.inodes.get_mut(&number).ok_or(Errno::ESTALE)
    }

    pub(crate) fn directory(&self, number: u64) -> Result<&Directory, Errno> {
        match &self.inode(number)?.kind {
            Kind::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn directory_mut(&mut self, number: u64) -> Result<&mut Directory, Errno> {
        match &mut self.inode_mut(number)?.kind {
            Kind::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    /// The content of a regular file.
    pub(crate) fn file(&self, number: u64) -> Result<&F, Errno> {
        match &self.inode(number)?.kind {
            Kind::File(file) => Ok(file),
            Kind::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The contents of all regular files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &F> {
        self.inodes.values().filter_map(|inode| match &inode.kind {
            Kind::File(file) => Some(file),
            _ => None,
        })
    }

    /// The inode that a name stands for.
    pub(crate) fn find(&self, parent: u64, name: &OsStr) -> Result<u64, Errno> {
        if name.len() > LONGEST_NAME {
            return Err(Errno::ENAMETOOLONG);
        }
        self.directory(parent)?.get(name).ok_or(Errno::ENOENT)
    }

    fn must_be_new(&self, parent: u64, name: &OsStr) -> Result<(), Errno> {
        match self.find(parent, name) {
            Ok(_) => Err(Errno::EEXIST),
            Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds an inode under a new name. Its number was reserved before.
    pub(crate) fn add(
        &mut self,
        (parent, name): (u64, &OsStr),
        number: u64,
        kind: Kind<F>,
        attributes: Attributes,
    ) -> Result<(), Errno> {
        self.must_be_new(parent, name)?;
        self.inodes.insert(number, Inode { kind, attributes, links: 0, durable_links: 0, held: 0 });
        self.put(parent, name, Some(number))
    }

    /// Gives an inode one more name.
    pub(crate) fn link(&mut self, number: u64, parent: u64, name: &OsStr) -> Result<(), Errno> {
        self.must_be_new(parent, name)?;
        if matches!(self.inode(number)?.kind, Kind::Directory(_)) {
            return Err(Errno::EPERM);
        }
        self.put(parent, name, Some(number))
    }

    /// Takes away a file's name.
    pub(crate) fn unlink(&mut self, parent: u64, name: &OsStr) -> Result<(), Errno> {
        let number = self.find(parent, name)?;
        if matches!(self.inode(number)?.kind, Kind::Directory(_)) {
            return Err(Errno::EISDIR);
        }
        self.put(parent, name, None)
    }

    /// Takes away an empty directory's name.
    pub(crate) fn remove_directory(&mut self, parent: u64, name: &OsStr) -> Result<(), Errno> {
        let number = self.find(parent, name)?;
        if !self.directory(number)?.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        self.put(parent, name, None)
    }

    /// Moves a name.
    pub(crate) fn rename(
        &mut self,
        (parent, name): (u64, &OsStr),
        (new_parent, new_name): (u64, &OsStr),
        how: Rename,
    ) -> Result<(), Errno> {
        let moved = self.find(parent, name)?;
        let replaced = match self.find(new_parent, new_name) {
            Ok(number) => Some(number),
            Err(Errno::ENOENT) => None,
            Err(error) => return Err(error),
        };
        match (how, replaced) {
            (Rename::KeepExisting, Some(_)) => return Err(Errno::EEXIST),
            (Rename::Exchange, None) => return Err(Errno::ENOENT),
            (Rename::Replace, Some(replaced)) if replaced == moved => return Ok(()),
            (Rename::Replace, Some(replaced)) => self.may_replace(moved, replaced)?,
            _ => {}
        }
        let left = if how == Rename::Exchange { replaced } else { None };
        // Both are held meanwhile: an exchange takes a name's inode away before it is under its other name.
        let held: Vec<u64> = replaced.into_iter().chain([moved]).collect();
        held.iter().for_each(|number| self.hold(*number));
        let done = self.put(new_parent, new_name, Some(moved)).and_then(|()| self.put(parent, name, left));
        held.iter().for_each(|number| self.give_back(*number, 1));
        done
    }

    fn may_replace(&self, moved: u64, replaced: u64) -> Result<(), Errno> {
        match (&self.inode(moved)?.kind, &self.inode(replaced)?.kind) {
            (Kind::Directory(_), Kind::Directory(replaced)) if !replaced.is_empty() => Err(Errno::ENOTEMPTY),
            (Kind::Directory(_), Kind::Directory(_)) => Ok(()),
            (Kind::Directory(_), _) => Err(Errno::ENOTDIR),
            (_, Kind::Directory(_)) => Err(Errno::EISDIR),
            _ => Ok(()),
        }
    }

    /// Lets a name stand for an inode, or for none, and counts the links.
    fn put(&mut self, parent: u64, name: &OsStr, to: Option<u64>) -> Result<(), Errno> {
        let was = self.directory_mut(parent)?.set(name, to);
        let now = SystemTime::now();
        if let Some(number) = to {
            let inode = self.inode_mut(number)?;
            inode.links += 1;
            inode.attributes.changed = now;
            if let Kind::Directory(directory) = &mut inode.kind {
                directory.parent = parent;
            }
        }
        if let Some(inode) = was.and_then(|number| self.inodes.get_mut(&number)) {
            inode.links = inode.links.saturating_sub(1);
            inode.attributes.changed = now;
        }
        let attributes = &mut self.inode_mut(parent)?.attributes;
        (attributes.modified, attributes.changed) = (now, now);
        self.drop_unused(was.into_iter().collect());
        Ok(())
    }

    /// Counts a lookup or an open handle.
    pub(crate) fn hold(&mut self, number: u64) {
        if let Some(inode) = self.inodes.get_mut(&number) {
            inode.held += 1;
        }
    }

    /// Takes back lookups or an open handle.
    pub(crate) fn give_back(&mut self, number: u64, count: u64) {
        if let Some(inode) = self.inodes.get_mut(&number) {
            inode.held = inode.held.saturating_sub(count);
            self.drop_unused(vec![number]);
        }
    }

    /// Removes those of the inodes that nothing keeps, and what only they kept.
    fn drop_unused(&mut self, mut candidates: Vec<u64>) {
        while let Some(number) = candidates.pop() {
            let unused = self.inodes.get(&number).is_some_and(|inode| {
                number != ROOT && inode.links == 0 && inode.durable_links == 0 && inode.held == 0
            });
            if !unused {
                continue;
            }
            match self.inodes.remove(&number).map(|inode| inode.kind) {
                Some(Kind::File(file)) => self.dropped.push(file),
                Some(Kind::Directory(directory)) => {
                    for (_, named) in directory.live() {
                        self.inodes
                            .entry(named)
                            .and_modify(|inode| inode.links = inode.links.saturating_sub(1));
                        candidates.push(named);
                    }
                    for (_, named) in directory.durable() {
                        self.inodes
                            .entry(named)
                            .and_modify(|inode| inode.durable_links = inode.durable_links.saturating_sub(1));
                        candidates.push(named);
                    }
                }
                _ => {}
            }
        }
    }

    /// The contents of files that have been removed since the last call.
    pub(crate) fn take_dropped(&mut self) -> Vec<F> {
        std::mem::take(&mut self.dropped)
    }
}
