//! What the values of a column are, computed once.

use crate::content::mix;
use crate::reply::Reply;
use crate::seeding::{Purpose, seed_words};
use crate::workload::{Column, Generator, Type};

/// What the values of a column are.
pub(crate) struct Expected {
    pub(crate) kind: Type,
    /// Of texts and bytes that are set: a shorter value that names its writer all the same is not what was sent.
    pub(crate) length: Option<usize>,
    /// Whether seeded rows keep the value.
    pub(crate) is_fixed: bool,
    pub(crate) seed: Seed,
    /// What seeded values are drawn from.
    words: [u32; 2],
}

pub(crate) enum Seed {
    Constant(u64),
    /// By its origin.
    Content(u32),
    Uniform {
        min: i64,
        count: usize,
    },
}

impl Expected {
    pub(crate) fn new(seed: u64, (table, place): (u32, u32), may_change: bool, column: &Column) -> Self {
        let length = match column.kind {
            Type::Text { length } | Type::Bytes { length } if column.set => Some(length as usize),
            _ => None,
        };
        Self {
            kind: column.kind,
            length,
            is_fixed: !may_change || !column.set && !column.added,
            seed: match &column.seed {
                Generator::Constant { value } => Seed::Constant(*value),
                Generator::Content => Seed::Content(seeded_origin(table, place)),
                Generator::Uniform { over, .. } => {
                    Seed::Uniform { min: over.min, count: over.count as usize }
                }
                _ => Seed::Constant(0),
            },
            words: seed_words(seed, 0, Purpose::SeededColumn(table, place)),
        }
    }

    /// Whether a value is one of its column's type.
    #[inline]
    pub(crate) fn has_form(&self, word: u64, reply: &Reply) -> bool {
        match self.length {
            Some(length) => reply.content(word).len() == length,
            None => self.kind != Type::Key || word >> 32 == 0,
        }
    }

    #[inline]
    pub(crate) fn seeded_word(&self, row: u64) -> u32 {
        let [first, second] = self.words;
        mix(mix(row as u32 ^ first).wrapping_add(second))
    }
}

pub(crate) const fn is_content(kind: Type) -> bool {
    matches!(kind, Type::Text { .. } | Type::Bytes { .. })
}

/// The origin of a column's seeded contents.
const fn seeded_origin(table: u32, place: u32) -> u32 {
    1 << 31 | table << 8 | place
}
