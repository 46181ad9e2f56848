//! The disk's answers in the kernel's terms.

use std::io;
use std::time::{Duration, SystemTime};

use fuser::{
    Errno, FileAttr, FileHandle, FileType, FopenFlags, Generation, INodeNo, ReplyAttr, ReplyCreate,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, Request, TimeOrNow,
};
use nix::libc;
use nix::sys::statvfs::Statvfs;

use crate::content::{Flush, Space};
use crate::disk::{DIRECTORY, KIND, Owner, SYMBOLIC_LINK, Status};
use crate::history::PAGE;
use crate::names::LONGEST_NAME;

/// How long the kernel may keep names and attributes. Only the kernel changes them, and a cut unmounts.
const KEPT: Duration = Duration::from_secs(86_400);

/// Inode numbers are not used twice.
const GENERATION: Generation = Generation(0);

/// The handle of a file whose writes are all flushed, and any other handle.
pub(crate) const SYNCHRONOUS: FileHandle = FileHandle(1);
const ORDINARY: FileHandle = FileHandle(0);

pub(crate) fn file_type(mode: u32) -> FileType {
    match mode & KIND {
        DIRECTORY => FileType::Directory,
        SYMBOLIC_LINK => FileType::Symlink,
        libc::S_IFSOCK => FileType::Socket,
        libc::S_IFIFO => FileType::NamedPipe,
        libc::S_IFCHR => FileType::CharDevice,
        libc::S_IFBLK => FileType::BlockDevice,
        _ => FileType::RegularFile,
    }
}

fn attributes(status: &Status) -> FileAttr {
    let kept = &status.attributes;
    FileAttr {
        ino: INodeNo(status.number),
        size: status.size,
        blocks: status.pages * (PAGE / 512),
        atime: kept.accessed,
        mtime: kept.modified,
        ctime: kept.changed,
        crtime: SystemTime::UNIX_EPOCH,
        kind: file_type(kept.mode),
        perm: (kept.mode & !KIND) as u16,
        nlink: status.links,
        uid: kept.uid,
        gid: kept.gid,
        rdev: kept.device,
        blksize: PAGE as u32,
        flags: 0,
    }
}

pub(crate) fn owner(request: &Request) -> Owner {
    Owner { uid: request.uid(), gid: request.gid() }
}

/// What each write with these flags flushes.
pub(crate) fn flush_of(flags: i32) -> Option<Flush> {
    match flags {
        flags if flags & libc::O_SYNC == libc::O_SYNC => Some(Flush::All),
        flags if flags & libc::O_DSYNC != 0 => Some(Flush::Data),
        _ => None,
    }
}

fn handle(flags: i32) -> FileHandle {
    if flush_of(flags).is_some() { SYNCHRONOUS } else { ORDINARY }
}

pub(crate) fn time(time: TimeOrNow) -> SystemTime {
    match time {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    }
}

/// The error as the kernel knows it.
pub(crate) fn error(error: io::Error) -> Errno {
    Errno::from(error)
}

/// Answers with a name's inode.
pub(crate) fn entry(reply: ReplyEntry, found: io::Result<Status>) {
    match found {
        Ok(status) => reply.entry(&KEPT, &attributes(&status), GENERATION),
        Err(refused) => reply.error(error(refused)),
    }
}

/// Answers with an inode's attributes.
pub(crate) fn status(reply: ReplyAttr, found: io::Result<Status>) {
    match found {
        Ok(status) => reply.attr(&KEPT, &attributes(&status)),
        Err(refused) => reply.error(error(refused)),
    }
}

/// Answers that it is done.
pub(crate) fn done(reply: ReplyEmpty, done: io::Result<()>) {
    match done {
        Ok(()) => reply.ok(),
        Err(refused) => reply.error(error(refused)),
    }
}

/// Answers with a handle. The kernel keeps what it has read: nobody else changes the file.
pub(crate) fn opened(reply: ReplyOpen, opened: io::Result<()>, flags: i32) {
    match opened {
        Ok(()) => reply.opened(handle(flags), FopenFlags::FOPEN_KEEP_CACHE),
        Err(refused) => reply.error(error(refused)),
    }
}

/// Answers with a new file and its handle.
pub(crate) fn created(reply: ReplyCreate, made: io::Result<Status>, flags: i32) {
    match made {
        Ok(status) => {
            let kept = FopenFlags::FOPEN_KEEP_CACHE;
            reply.created(&KEPT, &attributes(&status), GENERATION, handle(flags), kept);
        }
        Err(refused) => reply.error(error(refused)),
    }
}

/// Answers with the space that the disk below has, or says that none is left.
pub(crate) fn space(reply: ReplyStatfs, disk: &Statvfs, space: Space) {
    let left = |free: u64| if space == Space::None { 0 } else { free };
    reply.statfs(
        disk.blocks(),
        left(disk.blocks_free()),
        left(disk.blocks_available()),
        disk.files(),
        left(disk.files_free()),
        disk.block_size() as u32,
        LONGEST_NAME as u32,
        disk.fragment_size() as u32,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_says_what_its_writes_flush() {
        let direct = libc::O_WRONLY | libc::O_DIRECT | libc::O_APPEND;
        assert_eq!(flush_of(direct), None);
        assert_eq!(flush_of(direct | libc::O_DSYNC), Some(Flush::Data));
        assert_eq!(flush_of(direct | libc::O_SYNC), Some(Flush::All));
    }
}
