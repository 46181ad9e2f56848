//! The content of one regular file: a real file that is read and written at once, and the history by which a power
//! cut takes back what was not flushed.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use nix::unistd::{Whence, lseek};

use crate::history::{History, PAGE, image_length, pages};
use crate::spans::Spans;

/// The bytes that are read at once when images are kept.
const CHUNK: u64 = 1 << 20;

/// Whether the disk has space left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Left,
    None,
}

/// What a flush must make durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// The data, as `fdatasync` does.
    Data,
    /// All, as `fsync` does.
    All,
}

#[derive(Debug)]
struct State {
    size: u64,
    history: History,
    allocated: Spans,
}

/// A regular file's content.
#[derive(Debug)]
pub(crate) struct Content {
    path: PathBuf,
    file: File,
    state: Mutex<State>,
}

impl Content {
    /// A new empty file, which must not exist yet.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        let state = State { size: 0, history: History::new(0), allocated: Spans::default() };
        Ok(Self { path: path.to_owned(), file, state: Mutex::new(state) })
    }

    /// Deletes the file. Whoever still has it open can go on.
    pub(crate) fn remove(&self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The size in bytes, and the pages that have space.
    pub(crate) fn size(&self) -> (u64, u64) {
        let state = self.state();
        (state.size, state.allocated.len())
    }

    /// Reads what there is, up to the length.
    pub(crate) fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let count = fill(&self.file, &mut bytes, offset)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Writes all of the bytes.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8], space: Space) -> io::Result<()> {
        let mut state = self.state();
        let range = offset..offset.saturating_add(bytes.len() as u64);
        need(&state, space, range.clone())?;
        self.keep(&mut state, range.clone())?;
        let written = self.file.write_all_at(bytes, offset);
        state.size = match written {
            Ok(()) => state.size.max(range.end),
            // Part of it may have been written, and the size with it.
            Err(_) => self.file.metadata()?.len(),
        };
        state.allocated.insert(pages(range));
        written
    }

    /// Cuts the file off, or lets it end in zeros.
    pub(crate) fn truncate(&self, size: u64, space: Space) -> io::Result<()> {
        let mut state = self.state();
        if size > state.size {
            need(&state, space, state.size..size)?;
        } else {
            self.keep(&mut state, size..u64::MAX)?;
        }
        self.file.set_len(size)?;
        state.size = size;
        state.allocated.remove(size.div_ceil(PAGE)..u64::MAX);
        Ok(())
    }

    /// Reserves space, punches a hole or zeroes a range, as `fallocate` does with these flags.
    pub(crate) fn allocate(&self, mode: i32, range: Range<u64>, space: Space) -> io::Result<()> {
        let flags = FallocateFlags::from_bits(mode).ok_or(Errno::EOPNOTSUPP)?;
        let keep_size = flags.contains(FallocateFlags::FALLOC_FL_KEEP_SIZE);
        let what = flags.difference(FallocateFlags::FALLOC_FL_KEEP_SIZE);
        let punches = what == FallocateFlags::FALLOC_FL_PUNCH_HOLE;
        if !punches && !what.is_empty() && what != FallocateFlags::FALLOC_FL_ZERO_RANGE {
            return Err(Errno::EOPNOTSUPP.into());
        }
        let mut state = self.state();
        if !punches {
            need(&state, space, range.clone())?;
        }
        if !what.is_empty() {
            self.keep(&mut state, range.clone())?;
        }
        let (offset, length) = (signed(range.start)?, signed(range.end - range.start)?);
        fallocate(&self.file, flags, offset, length)?;
        if punches {
            state.allocated.remove(range.start.div_ceil(PAGE)..range.end / PAGE);
        } else {
            state.allocated.insert(pages(range.clone()));
        }
        if !keep_size {
            state.size = state.size.max(range.end);
        }
        Ok(())
    }

    /// The next data or hole at or after an offset.
    pub(crate) fn seek(&self, offset: i64, whence: Whence) -> io::Result<i64> {
        Ok(lseek(&self.file, offset, whence)?)
    }

    /// Keeps the images of the pages that a change is going to touch.
    fn keep(&self, state: &mut State, bytes: Range<u64>) -> io::Result<()> {
        let Range { start, end } = pages(state.history.existing(bytes));
        let step = CHUNK / PAGE;
        for first in (start..end).step_by(step as usize) {
            let chunk = first..end.min(first + step);
            if chunk.clone().all(|page| state.history.has(page)) {
                continue;
            }
            let mut buffer = vec![0; ((chunk.end - chunk.start) * PAGE) as usize];
            fill(&self.file, &mut buffer, chunk.start * PAGE)?;
            for (page, image) in chunk.zip(buffer.chunks(PAGE as usize)) {
                state.history.keep(page, image);
            }
        }
        Ok(())
    }

    /// Begins a flush: what is written from now on is not in it.
    pub(crate) fn begin_flush(&self) -> u64 {
        let mut state = self.state();
        let size = state.size;
        state.history.begin(size)
    }

    /// Ends a flush that went well.
    pub(crate) fn end_flush(&self, number: u64) {
        self.state().history.end(number);
    }

    /// Flushes, and waits a while more first. The file can be read and written meanwhile.
    pub(crate) fn flush(&self, what: Flush, delay: Duration) -> io::Result<()> {
        let number = self.begin_flush();
        std::thread::sleep(delay);
        match what {
            Flush::Data => self.file.sync_data()?,
            Flush::All => self.file.sync_all()?,
        }
        self.end_flush(number);
        Ok(())
    }

    /// Whether nothing has been changed since the last flush, and none is under way.
    pub(crate) fn is_flushed(&self) -> bool {
        let state = self.state();
        state.history.is_clean(state.size)
    }

    /// The bytes that a power cut would give back or cut off.
    pub(crate) fn unflushed(&self) -> u64 {
        let state = self.state();
        state.history.unflushed(state.size)
    }

    /// The power fails: the content is what it was at the last flush. Answers the bytes that are other ones than
    /// before or were cut off.
    pub(crate) fn cut(&self) -> io::Result<u64> {
        let mut state = self.state();
        let size = state.history.size();
        let mut bytes = state.size.saturating_sub(size);
        let images = state.history.undo();
        for (page, image) in images {
            let length = image_length(page, size) as usize;
            let mut was = vec![0; length];
            if let Some(image) = image {
                was.copy_from_slice(&image[..length]);
            }
            if self.read(page * PAGE, length)? != was {
                self.file.write_all_at(&was, page * PAGE)?;
                state.allocated.insert(page..page + 1);
                bytes += length as u64;
            }
        }
        self.file.set_len(size)?;
        state.size = size;
        state.allocated.remove(size.div_ceil(PAGE)..u64::MAX);
        Ok(bytes)
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match file.read_at(&mut buffer[count..], offset + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Fails if a range needs space that the file does not have and the disk has not either.
fn need(state: &State, space: Space, range: Range<u64>) -> io::Result<()> {
    if space == Space::None && !state.allocated.covers(&pages(range)) {
        return Err(Errno::ENOSPC.into());
    }
    Ok(())
}

fn signed(number: u64) -> io::Result<i64> {
    i64::try_from(number).map_err(|_| Errno::EFBIG.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: i32 = 0;
    const PUNCH: i32 = 3;

    fn content() -> (tempfile::TempDir, Content) {
        let directory = tempfile::tempdir().unwrap();
        let content = Content::create(&directory.path().join("2")).unwrap();
        (directory, content)
    }

    fn flush(content: &Content) {
        content.flush(Flush::Data, Duration::ZERO).unwrap();
    }

    fn all(content: &Content) -> Vec<u8> {
        content.read(0, 1 << 20).unwrap()
    }

    #[test]
    fn a_cut_gives_back_what_was_flushed() {
        let (_directory, content) = content();
        content.write(0, &[1; 10_000], Space::Left).unwrap();
        flush(&content);
        assert!(content.is_flushed());
        content.write(5_000, &[2; 10_000], Space::Left).unwrap();
        assert!(!content.is_flushed());
        assert_eq!(content.unflushed(), (10_000 - PAGE) + 5_000);
        assert_eq!(content.cut().unwrap(), (10_000 - PAGE) + 5_000);
        assert_eq!((all(&content), content.size()), (vec![1; 10_000], (10_000, 3)));
        assert_eq!(content.cut().unwrap(), 0);
    }

    #[test]
    fn an_append_costs_no_image() {
        let (_directory, content) = content();
        content.write(0, &[1; 5_000], Space::Left).unwrap();
        flush(&content);
        content.write(5_000, &[2; 100], Space::Left).unwrap();
        assert_eq!((content.unflushed(), content.cut().unwrap()), (100, 100));
        assert_eq!(all(&content), [1; 5_000]);
    }

    #[test]
    fn a_truncation_is_undone_even_if_the_file_has_grown_again() {
        let (_directory, content) = content();
        let bytes: Vec<u8> = (0..20_000).map(|number| (number / 7) as u8).collect();
        content.write(0, &bytes, Space::Left).unwrap();
        flush(&content);
        content.truncate(4_500, Space::Left).unwrap();
        content.write(9_000, &[9; 30_000], Space::Left).unwrap();
        content.truncate(0, Space::Left).unwrap();
        assert!(content.cut().unwrap() > 0);
        assert_eq!(all(&content), bytes);
    }

    #[test]
    fn zeros_that_were_cut_off_count_as_given_back() {
        let (_directory, content) = content();
        content.truncate(5_000, Space::Left).unwrap();
        flush(&content);
        content.truncate(0, Space::Left).unwrap();
        assert_eq!((content.cut().unwrap(), all(&content)), (5_000, vec![0; 5_000]));
    }

    #[test]
    fn a_hole_is_filled_again() {
        let (_directory, content) = content();
        content.write(0, &[1; 20_000], Space::Left).unwrap();
        flush(&content);
        content.allocate(PUNCH, 4_000..13_000, Space::Left).unwrap();
        assert_eq!(content.read(4_000, 1).unwrap(), [0]);
        content.cut().unwrap();
        assert_eq!(all(&content), [1; 20_000]);
        let collapse = content.allocate(8, 0..PAGE, Space::Left).unwrap_err();
        assert_eq!(collapse.raw_os_error(), Some(Errno::EOPNOTSUPP as i32));
    }

    #[test]
    fn a_full_disk_takes_what_needs_no_space() {
        let (_directory, content) = content();
        content.allocate(FULL, 0..3 * PAGE, Space::Left).unwrap();
        assert_eq!(content.size(), (3 * PAGE, 3));
        content.write(0, &[1; 3 * PAGE as usize], Space::None).unwrap();
        let more = content.write(2 * PAGE, &[1; 2 * PAGE as usize], Space::None).unwrap_err();
        assert_eq!(more.kind(), io::ErrorKind::StorageFull);
        assert_eq!(content.truncate(4 * PAGE, Space::None).unwrap_err().kind(), io::ErrorKind::StorageFull);
        content.allocate(PUNCH, PAGE..2 * PAGE, Space::None).unwrap();
        assert_eq!(content.write(PAGE, b"a", Space::None).unwrap_err().kind(), io::ErrorKind::StorageFull);
        content.truncate(PAGE, Space::None).unwrap();
        assert_eq!(content.size(), (PAGE, 1));
    }
}
