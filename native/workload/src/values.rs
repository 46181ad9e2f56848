//! The arguments of one operation as they were drawn: a word each, and the bytes of what is longer.

/// An operation's number and its arguments. Drawing into it again allocates nothing once it has been as large.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The operation's number.
    pub operation: u32,
    /// How many operations the session drew before it, modulo 2³².
    pub sequence: u32,
    /// The arguments by their places; a list's says where its records are.
    pub(crate) words: Vec<u64>,
    /// The records of lists, field by field.
    pub(crate) records: Vec<u64>,
    /// Text and bytes; their words are where they begin.
    pub(crate) bytes: Vec<u8>,
}

/// The records of a list argument.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    values: &'a Values,
    first: usize,
    length: usize,
}

impl Values {
    /// A key, an int64 in two's complement, 0 or 1 for a bool, a choice's number.
    #[inline]
    #[must_use]
    pub fn word(&self, argument: usize) -> u64 {
        self.words[argument]
    }

    /// All arguments.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The text or the bytes that a word stands for.
    #[inline]
    #[must_use]
    pub fn content(&self, word: u64, length: u32) -> &[u8] {
        &self.bytes[word as usize..word as usize + length as usize]
    }

    /// The records of a list argument.
    #[inline]
    #[must_use]
    pub fn list(&self, argument: usize) -> List<'_> {
        let word = self.words[argument];
        List { values: self, first: (word >> 32) as usize, length: word as u32 as usize }
    }

    #[inline]
    pub(crate) fn clear(&mut self, operation: u32, sequence: u32) {
        (self.operation, self.sequence) = (operation, sequence);
        self.words.clear();
        self.records.clear();
        self.bytes.clear();
    }

    pub(crate) const fn list_word(first: usize, length: usize) -> u64 {
        (first as u64) << 32 | length as u64
    }
}

impl List<'_> {
    /// How many records.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// As `Values::word`, of a field of a record.
    #[inline]
    #[must_use]
    pub fn word(&self, field: usize, record: usize) -> u64 {
        self.values.records[self.first + field * self.length + record]
    }
}
