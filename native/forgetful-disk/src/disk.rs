//! The disk: names and contents together, and what can be wrong with it (full, slow, no power).

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use nix::errno::Errno;

use crate::content::{Content, Flush, Space};
use crate::directory::Directory;
use crate::names::{Attributes, Kind, Names};

/// The bits of a mode that say what kind of file it is, and those of a few kinds.
pub(crate) const KIND: u32 = 0o170_000;
pub(crate) const DIRECTORY: u32 = 0o040_000;
pub(crate) const REGULAR: u32 = 0o100_000;
pub(crate) const SYMBOLIC_LINK: u32 = 0o120_000;
const GROUP_IS_INHERITED: u32 = 0o2_000;

/// What a file is made with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// What `stat` says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status {
    pub(crate) number: u64,
    pub(crate) attributes: Attributes,
    pub(crate) links: u32,
    pub(crate) size: u64,
    pub(crate) pages: u64,
}

/// What a power cut changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cut {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) names: usize,
}

/// What has been flushed, and what a cut would change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stats {
    pub(crate) flushes: u64,
    pub(crate) directory_flushes: u64,
    pub(crate) unflushed_bytes: u64,
    pub(crate) unflushed_names: usize,
}

/// The disk. It outlasts its mounts.
#[derive(Debug)]
pub(crate) struct Disk {
    backing: PathBuf,
    names: Mutex<Names<Arc<Content>>>,
    full: AtomicBool,
    flush_delay_ms: AtomicU64,
    flushes: AtomicU64,
    directory_flushes: AtomicU64,
}

impl Disk {
    /// An empty disk whose contents are going to be in a folder.
    pub(crate) fn new(backing: &Path, root: Attributes) -> Self {
        Self {
            backing: backing.to_owned(),
            names: Mutex::new(Names::new(root)),
            full: AtomicBool::new(false),
            flush_delay_ms: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            directory_flushes: AtomicU64::new(0),
        }
    }

    /// The names. They are never locked while a file's content is flushed.
    pub(crate) fn names(&self) -> MutexGuard<'_, Names<Arc<Content>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder that the contents are in.
    pub(crate) fn backing(&self) -> &Path {
        &self.backing
    }

    /// Lets everything that needs space fail, or not.
    pub(crate) fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::Relaxed);
    }

    pub(crate) fn space(&self) -> Space {
        if self.full.load(Ordering::Relaxed) { Space::None } else { Space::Left }
    }

    /// Lets every flush wait so much more.
    pub(crate) fn set_flush_delay(&self, milliseconds: u64) {
        self.flush_delay_ms.store(milliseconds, Ordering::Relaxed);
    }

    fn flush_delay(&self) -> Duration {
        Duration::from_millis(self.flush_delay_ms.load(Ordering::Relaxed))
    }

    /// What `stat` says of an inode.
    pub(crate) fn status(&self, number: u64) -> io::Result<Status> {
        let names = self.names();
        let inode = names.inode(number)?;
        let mut status =
            Status { number, attributes: inode.attributes, links: inode.links, size: 0, pages: 0 };
        match &inode.kind {
            // One link means that a directory's links say nothing about the directories in it.
            Kind::Directory(_) => status.links = 1,
            Kind::Link(target) => status.size = target.len() as u64,
            Kind::Special => {}
            Kind::File(content) => {
                let content = Arc::clone(content);
                // A file that is being written to makes only those wait who ask for this file.
                drop(names);
                (status.size, status.pages) = content.size();
            }
        }
        Ok(status)
    }

    /// The status of a name's inode, which the kernel holds from now on.
    pub(crate) fn look_up(&self, parent: u64, name: &OsStr) -> io::Result<Status> {
        let mut names = self.names();
        let number = names.find(parent, name)?;
        names.hold(number);
        drop(names);
        self.status(number)
    }

    /// The content of a regular file.
    pub(crate) fn content(&self, number: u64) -> io::Result<Arc<Content>> {
        Ok(Arc::clone(self.names().file(number)?))
    }

    fn need_space(&self) -> io::Result<()> {
        if self.space() == Space::None { Err(Errno::ENOSPC.into()) } else { Ok(()) }
    }

    /// Makes a file of any kind. A symbolic link has a target.
    pub(crate) fn make(
        &self,
        (parent, name): (u64, &OsStr),
        mut mode: u32,
        mut owner: Owner,
        device: u32,
        target: Option<OsString>,
    ) -> io::Result<Status> {
        self.need_space()?;
        let mut names = self.names();
        let above = names.inode(parent)?.attributes;
        let number = names.reserve();
        drop(names);
        let kind = match (target, mode & KIND) {
            (Some(target), _) => Kind::Link(target),
            (None, DIRECTORY) => Kind::Directory(Directory::new(parent)),
            (None, REGULAR) => Kind::File(Arc::new(Content::create(&self.backing.join(number.to_string()))?)),
            _ => Kind::Special,
        };
        let file = if let Kind::File(content) = &kind { Some(Arc::clone(content)) } else { None };
        if above.mode & GROUP_IS_INHERITED != 0 {
            owner.gid = above.gid;
            mode |= if mode & KIND == DIRECTORY { GROUP_IS_INHERITED } else { 0 };
        }
        let now = SystemTime::now();
        let Owner { uid, gid } = owner;
        let attributes = Attributes { mode, uid, gid, device, accessed: now, modified: now, changed: now };
        let mut names = self.names();
        if let Err(error) = names.add((parent, name), number, kind, attributes) {
            drop(names);
            file.map_or(Ok(()), |content| content.remove())?;
            return Err(error.into());
        }
        names.hold(number);
        drop(names);
        self.status(number)
    }

    /// Gives a file one more name.
    pub(crate) fn link(&self, number: u64, parent: u64, name: &OsStr) -> io::Result<Status> {
        self.need_space()?;
        let mut names = self.names();
        names.link(number, parent, name)?;
        names.hold(number);
        drop(names);
        self.status(number)
    }

    /// Changes the names, and removes the contents that nothing names any more.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Names<Arc<Content>>) -> Result<T, Errno>,
    ) -> io::Result<T> {
        let (done, dropped) = {
            let mut names = self.names();
            (change(&mut names), names.take_dropped())
        };
        for content in dropped {
            content.remove()?;
        }
        Ok(done?)
    }

    /// Writes, and flushes if the handle says that each write is to be flushed.
    pub(crate) fn write(
        &self,
        number: u64,
        offset: u64,
        bytes: &[u8],
        flush: Option<Flush>,
    ) -> io::Result<()> {
        let content = self.content(number)?;
        content.write(offset, bytes, self.space())?;
        self.set(number, |kept| kept.modified = SystemTime::now())?;
        flush.map_or(Ok(()), |what| self.flush_content(&content, what))
    }

    /// Cuts a file off, or lets it end in zeros.
    pub(crate) fn truncate(&self, number: u64, size: u64) -> io::Result<()> {
        self.content(number)?.truncate(size, self.space())?;
        self.set(number, |kept| kept.modified = SystemTime::now())
    }

    /// Sets an inode's attributes.
    pub(crate) fn set(&self, number: u64, set: impl FnOnce(&mut Attributes)) -> io::Result<()> {
        let mut names = self.names();
        let kept = &mut names.inode_mut(number)?.attributes;
        kept.changed = SystemTime::now();
        set(kept);
        Ok(())
    }

    /// Flushes a file.
    pub(crate) fn flush(&self, number: u64, what: Flush) -> io::Result<()> {
        self.flush_content(&*self.content(number)?, what)
    }

    fn flush_content(&self, content: &Content, what: Flush) -> io::Result<()> {
        self.flushes.fetch_add(1, Ordering::Relaxed);
        content.flush(what, self.flush_delay())
    }

    /// Flushes a directory.
    pub(crate) fn flush_directory(&self, number: u64) -> io::Result<()> {
        self.directory_flushes.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.flush_delay());
        self.change(|names| names.flush_directory(number))
    }

    /// Makes everything durable that is there.
    pub(crate) fn settle(&self) -> io::Result<()> {
        let begun: Vec<_> = self.change(|names| {
            names.settle();
            Ok(names.files().map(|content| (Arc::clone(content), content.begin_flush())).collect())
        })?;
        nix::unistd::syncfs(std::fs::File::open(&self.backing)?)?;
        for (content, number) in begun {
            content.end_flush(number);
        }
        Ok(())
    }

    /// The power fails. The disk must not be mounted.
    pub(crate) fn cut(&self) -> io::Result<Cut> {
        let mut cut = Cut { names: self.change(|names| Ok(names.cut()))?, ..Cut::default() };
        for content in self.names().files() {
            let bytes = content.cut()?;
            cut.bytes += bytes;
            cut.files += u64::from(bytes > 0);
        }
        Ok(cut)
    }

    /// What has been flushed, and what a cut would change.
    pub(crate) fn stats(&self) -> Stats {
        let names = self.names();
        Stats {
            flushes: self.flushes.load(Ordering::Relaxed),
            directory_flushes: self.directory_flushes.load(Ordering::Relaxed),
            unflushed_bytes: names.files().map(|content| content.unflushed()).sum(),
            unflushed_names: names.unflushed(),
        }
    }

    /// Removes all contents.
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.names().files().try_for_each(|content| content.remove())
    }
}
