//! What a file was at its last flush: its size then, and the pages that have changed since as they were.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

/// The bytes by which changes are kept.
pub(crate) const PAGE: u64 = 4096;

/// The pages that a range of bytes touches.
pub(crate) fn pages(bytes: Range<u64>) -> Range<u64> {
    if bytes.is_empty() { 0..0 } else { bytes.start / PAGE..bytes.end.div_ceil(PAGE) }
}

/// A page as it was; no bytes stand for a page of zeros.
pub(crate) type Image = Option<Box<[u8]>>;

/// The file between the beginning of one flush and the beginning of the next.
#[derive(Debug)]
struct Generation {
    number: u64,
    /// The size at its beginning.
    size: u64,
    /// The pages that were changed in it, as they were at its beginning. Pages beyond `size` need none.
    images: BTreeMap<u64, Image>,
}

/// The generations that a power cut would undo. There are several only while flushes run: what is written meanwhile
/// is not in the flush, and until a flush has ended the one before it is what counts.
#[derive(Debug)]
pub(crate) struct History {
    /// The last flush that ended began with this one.
    oldest: Generation,
    later: VecDeque<Generation>,
    next: u64,
}

impl History {
    /// The history of a file that is durable at this size.
    pub(crate) fn new(size: u64) -> Self {
        let oldest = Generation { number: 0, size, images: BTreeMap::new() };
        Self { oldest, later: VecDeque::new(), next: 1 }
    }

    fn newest(&self) -> &Generation {
        self.later.back().unwrap_or(&self.oldest)
    }

    /// The part of a range that had bytes when the newest generation began: only its images must be kept.
    pub(crate) fn existing(&self, bytes: Range<u64>) -> Range<u64> {
        bytes.start..bytes.end.min(self.newest().size)
    }

    /// Whether a page's image has been kept since the newest generation began.
    pub(crate) fn has(&self, page: u64) -> bool {
        self.newest().images.contains_key(&page)
    }

    /// Keeps a page's image before the page is changed. The image may be longer than the file was.
    pub(crate) fn keep(&mut self, page: u64, image: &[u8]) {
        let newest = self.later.back_mut().unwrap_or(&mut self.oldest);
        let image: Image = image.iter().any(|byte| *byte != 0).then(|| image.into());
        newest.images.entry(page).or_insert(image);
    }

    /// A flush begins: later changes are not in it. Answers the number by which its end is told.
    pub(crate) fn begin(&mut self, size: u64) -> u64 {
        let number = self.next;
        self.next += 1;
        self.later.push_back(Generation { number, size, images: BTreeMap::new() });
        number
    }

    /// A flush has ended well: what was before it is durable, with everything that flushes before it were for.
    pub(crate) fn end(&mut self, number: u64) {
        while self.later.front().is_some_and(|generation| generation.number <= number) {
            if let Some(generation) = self.later.pop_front() {
                self.oldest = generation;
            }
        }
    }

    /// The durable size.
    pub(crate) fn size(&self) -> u64 {
        self.oldest.size
    }

    /// Whether a file of this size is as durable as it can be, with no flush under way.
    pub(crate) fn is_clean(&self, size: u64) -> bool {
        self.later.is_empty() && self.oldest.images.is_empty() && self.oldest.size == size
    }

    fn generations(&self) -> impl Iterator<Item = &Generation> {
        std::iter::once(&self.oldest).chain(&self.later)
    }

    /// The bytes that a power cut would give back or cut off.
    pub(crate) fn unflushed(&self, size: u64) -> u64 {
        let changed: BTreeSet<u64> =
            self.generations().flat_map(|generation| generation.images.keys().copied()).collect();
        let given_back: u64 = changed.into_iter().map(|page| image_length(page, self.size())).sum();
        given_back + size.saturating_sub(self.size())
    }

    /// Forgets all changes: each page's image from the oldest generation that has one. The caller puts them back.
    pub(crate) fn undo(&mut self) -> BTreeMap<u64, Image> {
        let mut images = std::mem::take(&mut self.oldest.images);
        for generation in std::mem::take(&mut self.later) {
            for (page, image) in generation.images {
                images.entry(page).or_insert(image);
            }
        }
        images.retain(|page, _| image_length(*page, self.oldest.size) > 0);
        images
    }
}

/// The bytes of a page that a file of this size has.
pub(crate) fn image_length(page: u64, size: u64) -> u64 {
    size.saturating_sub(page * PAGE).min(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(history: &mut History) -> Vec<(u64, u8)> {
        history.undo().into_iter().map(|(page, image)| (page, image.map_or(0, |image| image[0]))).collect()
    }

    #[test]
    fn the_first_image_since_the_flush_counts() {
        let mut history = History::new(3 * PAGE);
        history.keep(1, b"a");
        history.keep(1, b"b");
        assert!(history.has(1) && !history.has(0));
        assert_eq!(history.unflushed(3 * PAGE + 10), PAGE + 10);
        assert_eq!(undone(&mut history), [(1, b'a')]);
        assert!(history.is_clean(3 * PAGE));
    }

    #[test]
    fn a_write_during_a_flush_is_not_in_it() {
        let mut history = History::new(PAGE);
        history.keep(0, b"a");
        let flush = history.begin(2 * PAGE);
        history.keep(0, b"b");
        history.end(flush);
        assert_eq!((history.size(), undone(&mut history)), (2 * PAGE, vec![(0, b'b')]));
    }

    #[test]
    fn a_flush_that_has_not_ended_does_not_count() {
        let mut history = History::new(PAGE);
        history.keep(0, b"a");
        history.begin(2 * PAGE);
        history.keep(0, b"b");
        history.keep(1, b"c");
        assert_eq!((history.size(), undone(&mut history)), (PAGE, vec![(0, b'a')]));
    }

    #[test]
    fn a_later_flush_that_ends_first_is_for_both() {
        let mut history = History::new(0);
        let first = history.begin(PAGE);
        history.keep(0, b"a");
        let second = history.begin(2 * PAGE);
        history.end(second);
        assert!(history.is_clean(2 * PAGE));
        history.keep(1, b"b");
        history.end(first);
        assert_eq!((history.size(), undone(&mut history)), (2 * PAGE, vec![(1, b'b')]));
    }
}
