//! What the kernel asks, answered by the disk.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fuser::{
    BsdFileFlags, FileHandle, FileType, Filesystem, INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek,
    ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use nix::libc;
use nix::unistd::Whence;

use crate::answers::{self, SYNCHRONOUS, file_type, flush_of, owner, time};
use crate::content::Flush;
use crate::disk::{DIRECTORY, Disk, KIND, REGULAR, SYMBOLIC_LINK};
use crate::names::{Kind, Rename};

/// A mount of the disk.
pub(crate) struct Surface(pub(crate) Arc<Disk>);

/// Answers a request, or refuses it with the error.
macro_rules! answer {
    ($reply:ident, $result:expr, $done:ident => $answer:expr) => {
        match $result {
            Ok($done) => $answer,
            Err(refused) => $reply.error(answers::error(refused.into())),
        }
    };
}

impl Filesystem for Surface {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        for capability in [InitFlags::FUSE_PARALLEL_DIROPS, InitFlags::FUSE_ASYNC_DIO] {
            // A kernel without it is only slower.
            let _unsupported = config.add_capabilities(capability);
        }
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answers::entry(reply, self.0.look_up(parent.0, name));
    }

    fn forget(&self, _: &Request, number: INodeNo, count: u64) {
        // A backing file that cannot be removed is left to the one who made the folder.
        let _left = self.0.change(|names| {
            names.give_back(number.0, count);
            Ok(())
        });
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answers::status(reply, self.0.status(number.0));
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = size
            .map_or(Ok(()), |size| self.0.truncate(number.0, size))
            .and_then(|()| {
                self.0.set(number.0, |kept| {
                    kept.mode = mode.map_or(kept.mode, |mode| kept.mode & KIND | mode & !KIND);
                    kept.uid = uid.unwrap_or(kept.uid);
                    kept.gid = gid.unwrap_or(kept.gid);
                    kept.accessed = accessed.map_or(kept.accessed, time);
                    kept.modified = modified.map_or(kept.modified, time);
                })
            })
            .and_then(|()| self.0.status(number.0));
        answers::status(reply, set);
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        let target = self.0.change(|names| match &names.inode(number.0)?.kind {
            Kind::Link(target) => Ok(target.clone()),
            _ => Err(nix::errno::Errno::EINVAL),
        });
        answer!(reply, target, target => reply.data(target.as_bytes()));
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        device: u32,
        reply: ReplyEntry,
    ) {
        let made = self.0.make((parent.0, name), mode, owner(request), device, None);
        answers::entry(reply, made);
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let made = self.0.make((parent.0, name), mode & !KIND | DIRECTORY, owner(request), 0, None);
        answers::entry(reply, made);
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let target = Some(target.as_os_str().to_owned());
        let made = self.0.make((parent.0, name), SYMBOLIC_LINK | 0o777, owner(request), 0, target);
        answers::entry(reply, made);
    }

    fn link(&self, _: &Request, number: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.0.link(number.0, parent.0, name);
        answers::entry(reply, linked);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answers::done(reply, self.0.change(|names| names.unlink(parent.0, name)));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answers::done(reply, self.0.change(|names| names.remove_directory(parent.0, name)));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let how = match flags {
            flags if flags.is_empty() => Rename::Replace,
            RenameFlags::RENAME_NOREPLACE => Rename::KeepExisting,
            RenameFlags::RENAME_EXCHANGE => Rename::Exchange,
            _ => return reply.error(fuser::Errno::EINVAL),
        };
        let renamed = self.0.change(|names| names.rename((parent.0, name), (new_parent.0, new_name), how));
        answers::done(reply, renamed);
    }

    fn open(&self, _: &Request, number: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.0.change(|names| names.file(number.0).map(drop).map(|()| names.hold(number.0)));
        answers::opened(reply, opened, flags.0);
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let made = self.0.make((parent.0, name), mode & !KIND | REGULAR, owner(request), 0, None);
        let held = made.inspect(|status| self.0.names().hold(status.number));
        answers::created(reply, held, flags);
    }

    fn release(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.forget(request, number, 1);
        reply.ok();
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let read = self.0.content(number.0).and_then(|content| content.read(offset, size as usize));
        answer!(reply, read, bytes => reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: &[u8],
        origin: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        // A page that comes from a mapping was not written with the handle's flags: only msync flushes it.
        let mapped = origin.contains(WriteFlags::FUSE_WRITE_CACHE);
        let flush = if mapped { None } else { flush_of(flags.0) };
        let written = self.0.write(number.0, offset, bytes, flush);
        answer!(reply, written, _done => reply.written(bytes.len() as u32));
    }

    fn fsync(&self, _: &Request, number: INodeNo, handle: FileHandle, data_only: bool, reply: ReplyEmpty) {
        let flushed = self.0.content(number.0).and_then(|content| {
            // The kernel asks for a flush after each write to such a handle, and the write has flushed already.
            if handle == SYNCHRONOUS && content.is_flushed() {
                return Ok(());
            }
            self.0.flush(number.0, if data_only { Flush::Data } else { Flush::All })
        });
        answers::done(reply, flushed);
    }

    fn fsyncdir(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answers::done(reply, self.0.flush_directory(number.0));
    }

    fn readdir(&self, _: &Request, number: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let names = self.0.names();
        let directory = match names.directory(number.0) {
            Ok(directory) => directory,
            Err(error) => return reply.error(answers::error(error.into())),
        };
        let own = [(1, OsStr::new("."), number.0), (2, OsStr::new(".."), directory.parent)];
        let rest = directory.after(offset);
        for (cookie, name, inode) in own.into_iter().filter(|(cookie, ..)| *cookie > offset).chain(rest) {
            let kind =
                names.inode(inode).map_or(FileType::RegularFile, |inode| file_type(inode.attributes.mode));
            if reply.add(INodeNo(inode), cookie, kind, name) {
                break;
            }
        }
        drop(names);
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let below = nix::sys::statvfs::statvfs(self.0.backing());
        answer!(reply, below, disk => answers::space(reply, &disk, self.0.space()));
    }

    fn fallocate(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let range = offset..offset.saturating_add(length);
        let allocated =
            self.0.content(number.0).and_then(|content| content.allocate(mode, range, self.0.space()));
        answers::done(reply, allocated);
    }

    fn lseek(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let found = match whence {
            libc::SEEK_DATA => self.0.content(number.0).and_then(|file| file.seek(offset, Whence::SeekData)),
            libc::SEEK_HOLE => self.0.content(number.0).and_then(|file| file.seek(offset, Whence::SeekHole)),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        };
        answer!(reply, found, offset => reply.offset(offset));
    }
}
