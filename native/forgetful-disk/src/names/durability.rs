//! Which names outlast a power cut, and the cut itself.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use nix::errno::Errno;

use super::{Inode, Kind, Names, ROOT};
use crate::directory::Directory;

impl<F> Names<F> {
    /// Makes a directory's live names durable.
    pub(crate) fn flush_directory(&mut self, number: u64) -> Result<(), Errno> {
        let changed = self.directory_mut(number)?.flush();
        for now in changed.iter().filter_map(|(_, now)| *now) {
            self.inodes.entry(now).and_modify(|inode| inode.durable_links += 1);
        }
        let were: Vec<u64> = changed.into_iter().filter_map(|(was, _)| was).collect();
        for was in &were {
            self.inodes
                .entry(*was)
                .and_modify(|inode| inode.durable_links = inode.durable_links.saturating_sub(1));
        }
        self.drop_unused(were);
        Ok(())
    }

    fn directories(&self) -> Vec<u64> {
        let is_directory = |inode: &Inode<F>| matches!(inode.kind, Kind::Directory(_));
        self.inodes.iter().filter(|(_, inode)| is_directory(inode)).map(|(number, _)| *number).collect()
    }

    /// Makes every directory's live names durable.
    pub(crate) fn settle(&mut self) {
        for number in self.directories() {
            // A directory that an earlier one's flush has dropped has no names to make durable.
            let _gone = self.flush_directory(number);
        }
    }

    /// The names that a power cut would change: those that would appear or vanish, and those that would stand for
    /// another file again.
    pub(crate) fn unflushed(&self) -> usize {
        let live = self.reached(|directory| Box::new(directory.live()));
        let durable = self.reached(|directory| Box::new(directory.durable()));
        let changed = durable.iter().filter(|(name, inode)| live.get(*name) != Some(inode)).count();
        changed + live.keys().filter(|name| !durable.contains_key(*name)).count()
    }

    /// All names in the directories that the root leads to, by one of the two maps.
    fn reached<'a>(
        &'a self,
        names: impl Fn(&'a Directory) -> Box<dyn Iterator<Item = (&'a OsStr, u64)> + 'a>,
    ) -> BTreeMap<(u64, &'a OsStr), u64> {
        let mut reached = BTreeMap::new();
        let mut seen = BTreeSet::from([ROOT]);
        let mut queue = vec![ROOT];
        while let Some(parent) = queue.pop() {
            let Ok(directory) = self.directory(parent) else { continue };
            for (name, number) in names(directory) {
                reached.insert((parent, name), number);
                if self.directory(number).is_ok() && seen.insert(number) {
                    queue.push(number);
                }
            }
        }
        reached
    }

    /// The power fails: the durable names are the live ones, whatever they do not lead to is gone, and nobody holds
    /// anything. Answers how many names changed.
    pub(crate) fn cut(&mut self) -> usize {
        let changed = self.unflushed();
        for number in self.directories() {
            if let Ok(directory) = self.directory_mut(number) {
                directory.revert();
            }
        }
        self.one_name_for_each_directory();
        let mut links = BTreeMap::from([(ROOT, 1)]);
        for number in self.reached(|directory| Box::new(directory.live())).into_values() {
            *links.entry(number).or_insert(0) += 1;
        }
        let gone: Vec<u64> =
            self.inodes.keys().filter(|number| !links.contains_key(number)).copied().collect();
        for number in gone {
            if let Some(Inode { kind: Kind::File(file), .. }) = self.inodes.remove(&number) {
                self.dropped.push(file);
            }
        }
        for (number, inode) in &mut self.inodes {
            let count = links.get(number).copied().unwrap_or(0);
            (inode.links, inode.durable_links, inode.held) = (count, count, 0);
        }
        changed
    }

    /// Takes away the second name of a directory that was moved to another directory of which only the new one was
    /// flushed: it is in both then, and no kernel can have that.
    fn one_name_for_each_directory(&mut self) {
        let mut parents = BTreeMap::from([(ROOT, ROOT)]);
        let mut second = Vec::new();
        let mut queue = vec![ROOT];
        while let Some(parent) = queue.pop() {
            let Ok(directory) = self.directory(parent) else { continue };
            for (name, number) in directory.live().filter(|(_, number)| self.directory(*number).is_ok()) {
                match parents.entry(number) {
                    Entry::Occupied(_) => second.push((parent, name.to_owned())),
                    Entry::Vacant(new) => {
                        new.insert(parent);
                        queue.push(number);
                    }
                }
            }
        }
        for (parent, name) in second {
            if let Ok(directory) = self.directory_mut(parent) {
                directory.set(&name, None);
                directory.flush();
            }
        }
        for (number, parent) in parents {
            if let Ok(directory) = self.directory_mut(number) {
                directory.parent = parent;
            }
        }
    }
}
