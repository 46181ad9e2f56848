//! Which pages of a file have space on the disk.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of page numbers, kept as runs: first page → the page after the last.
#[derive(Debug, Default)]
pub(crate) struct Spans(BTreeMap<u64, u64>);

impl Spans {
    /// Adds pages.
    pub(crate) fn insert(&mut self, mut pages: Range<u64>) {
        if pages.is_empty() || self.covers(&pages) {
            return;
        }
        while let Some((&start, &end)) = self.0.range(..=pages.end).next_back() {
            if end < pages.start {
                break;
            }
            self.0.remove(&start);
            pages = pages.start.min(start)..pages.end.max(end);
        }
        self.0.insert(pages.start, pages.end);
    }

    /// Takes pages away.
    pub(crate) fn remove(&mut self, pages: Range<u64>) {
        if pages.is_empty() {
            return;
        }
        while let Some((&start, &end)) = self.0.range(..pages.end).next_back() {
            if end <= pages.start {
                break;
            }
            self.0.remove(&start);
            if end > pages.end {
                self.0.insert(pages.end, end);
            }
            if start < pages.start {
                self.0.insert(start, pages.start);
            }
        }
    }

    /// Whether every one of the pages is in it.
    pub(crate) fn covers(&self, pages: &Range<u64>) -> bool {
        let run = self.0.range(..=pages.start).next_back();
        pages.is_empty() || run.is_some_and(|(_, end)| *end >= pages.end)
    }

    /// How many pages are in it.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_grow_together_and_fall_apart() {
        let mut spans = Spans::default();
        spans.insert(0..2);
        spans.insert(4..6);
        assert!(!spans.covers(&(0..6)));
        spans.insert(2..4);
        assert!(spans.covers(&(0..6)));
        assert!(!spans.covers(&(5..7)));
        spans.remove(1..3);
        assert!(spans.covers(&(0..1)) && spans.covers(&(3..6)) && !spans.covers(&(2..3)));
        assert_eq!(spans.len(), 4);
        spans.remove(0..u64::MAX);
        assert_eq!(spans.len(), 0);
        assert!(spans.covers(&(3..3)));
    }
}
