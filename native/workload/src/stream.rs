//! The operations of a session.

use std::sync::Arc;

use crate::error::WorkloadError;
use crate::program::{List, ListField, Meaning, Operation, Program, RankNot, Step, below};
use crate::ranks::{LatestRanks, fold_item};
use crate::seeding::{Purpose, seed_words};
use crate::values::Values;
use crate::xoshiro::Xoshiro128;

/// At a high exponent, redrawing alone would hardly end.
const DISTINCT_TRIES_MAX: u32 = 64;

/// The stream of one session: its k-th operation is fixed by (parameters, session) alone.
pub struct Stream {
    random: Xoshiro128,
    session: u64,
    drawn: u64,
    /// Fresh keys drawn so far, by table.
    fresh: Box<[u64]>,
    latest: Box<[LatestRanks]>,
    program: Arc<Program>,
}

impl Stream {
    /// From its first operation.
    #[must_use]
    pub fn new(program: &Arc<Program>, session: u32) -> Self {
        let state = seed_words(program.seed, u64::from(session), Purpose::Operations);
        Self {
            random: Xoshiro128::new(state),
            session: u64::from(session),
            drawn: 0,
            fresh: vec![0; program.tables].into_boxed_slice(),
            latest: program
                .latest
                .iter()
                .map(|(exponent, rows)| LatestRanks::new(*exponent, *rows))
                .collect(),
            program: Arc::clone(program),
        }
    }

    /// How many operations were drawn.
    #[must_use]
    pub const fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Draws the next operation over what `values` holds.
    ///
    /// # Errors
    /// When there is no fresh key for it.
    #[inline]
    pub fn next(&mut self, values: &mut Values) -> Result<(), WorkloadError> {
        let Self { random, session, drawn, fresh, latest, program } = self;
        let mut source = Source { random, fresh, latest, session: *session, drawn: *drawn, program };
        let number = program.mix.draw(source.random);
        let Operation { steps, meanings } = &program.operations[number as usize];
        values.clear(number, source.drawn as u32);
        for step in steps {
            let index = match step {
                Step::List(list) => list.draw(&mut source, values)?,
                step => source.index(step, &values.words, 0)?,
            };
            values.words.push(index);
        }
        for (place, meaning) in meanings {
            let index = values.words[*place];
            values.words[*place] = source.value(meaning, index, 0, &mut values.bytes);
        }
        self.drawn += 1;
        Ok(())
    }
}

/// What the draws of one operation take from.
struct Source<'a> {
    random: &'a mut Xoshiro128,
    fresh: &'a mut [u64],
    latest: &'a mut [LatestRanks],
    session: u64,
    drawn: u64,
    program: &'a Program,
}

impl Source<'_> {
    /// `indexes` are those of the arguments before it; `flag` is that of its own record.
    #[inline(always)]
    fn index(&mut self, step: &Step, indexes: &[u64], flag: u64) -> Result<u64, WorkloadError> {
        Ok(match step {
            Step::Constant(word) => *word,
            Step::Below(count) => below(self.random, *count),
            Step::BelowNot(count, not) => {
                let index = below(self.random, count - 1);
                index + u64::from(index >= indexes[*not])
            }
            Step::Rank(ranks) => u64::from(ranks.draw(self.random)),
            Step::RankNot(ranks) => ranks.draw(self.random, indexes[ranks.not]),
            Step::Folded(items, count) => fold_item(items.rank(self.random) - 1, *count),
            Step::Latest { number, table } => {
                let Self { random, latest, program, session, .. } = self;
                latest[*number].draw(random, self.fresh[*table], program.sessions, *session)
            }
            Step::Fresh { table, rows } => {
                let count = self.fresh[*table];
                self.fresh[*table] += 1;
                let key = rows + count * self.program.sessions + self.session;
                if key > u64::from(u32::MAX) {
                    return Err(WorkloadError::OutOfKeys);
                }
                key
            }
            Step::Operation => self.session << 32 | self.drawn,
            Step::Chance(percent) => u64::from(below(self.random, 100) < *percent),
            Step::Session(count) => self.session % count,
            Step::Nurand { a, min, count, c } => {
                let first = below(self.random, a + 1);
                ((first | (min + below(self.random, *count))) + c) % count
            }
            Step::Either { count, flag: place, is_field, same, differs } => {
                let is_same = if *is_field { flag } else { indexes[*place] } == 1;
                let same = indexes[*same];
                match (is_same, differs) {
                    (true, _) => same,
                    (false, false) => below(self.random, *count),
                    (false, true) if *count == 1 => same,
                    (false, true) => {
                        let index = below(self.random, count - 1);
                        index + u64::from(index >= same)
                    }
                }
            }
            Step::Content => u64::from(self.random.next_u32()),
            // Drawn by itself, and never within another.
            Step::List(_) => 0,
        })
    }

    #[inline(always)]
    fn value(&self, meaning: &Meaning, index: u64, record: u32, bytes: &mut Vec<u8>) -> u64 {
        match meaning {
            Meaning::Offset(min) => min.wrapping_add(index),
            Meaning::Flag(min) => u64::from(min.wrapping_add(index) != 0),
            Meaning::Permuted(ids) => u64::from(ids.apply(index as u32)),
            Meaning::Named(names) => {
                let (begin, name) = (bytes.len() as u64, &names[index as usize]);
                bytes.extend_from_slice(name.as_bytes());
                Values::shorter_word(begin, name.len())
            }
            Meaning::Content { kind, place, stride } => {
                let begin = bytes.len() as u64;
                let high = self.session as u32 | (place + record * stride) << 20;
                if let Some(pool) = &self.program.pool {
                    pool.write(*kind, (high, self.drawn as u32), index as u32, bytes);
                }
                begin
            }
        }
    }
}

impl RankNot {
    #[inline(always)]
    fn draw(&self, random: &mut Xoshiro128, not: u64) -> u64 {
        if not == 0 {
            // "Redraw until it is not rank 1" in one draw: at a high exponent nearly every redraw would be rank 1.
            return u64::from(self.from_second.draw(random));
        }
        // No rank but the first has more than half of the probability.
        loop {
            let rank = u64::from(self.ranks.draw(random));
            if rank != not {
                return rank;
            }
        }
    }
}

impl List {
    /// Appends the records field by field; the word that stands for them.
    #[inline(never)]
    fn draw(&self, source: &mut Source<'_>, values: &mut Values) -> Result<u64, WorkloadError> {
        let Values { words, records, bytes, .. } = values;
        let longer = if self.lengths == 1 { 0 } else { below(source.random, self.lengths) };
        let length = (self.min + longer) as usize;
        let first = records.len();
        records.resize(first + length * self.fields.len(), 0);
        for record in 0..length {
            for (number, field) in self.fields.iter().enumerate() {
                let begin = first + number * length;
                let flag = match field.step {
                    Step::Either { flag, is_field: true, .. } => records[first + flag * length + record],
                    _ => 0,
                };
                let index = field.draw(source, (words, flag), &records[begin..begin + record])?;
                records[begin + record] = index;
            }
        }
        for (number, field) in self.fields.iter().enumerate() {
            let Some(meaning) = &field.meaning else { continue };
            for (record, word) in (0..).zip(&mut records[first + number * length..][..length]) {
                *word = source.value(meaning, *word, record, bytes);
            }
        }
        Ok(Values::list_word(first, length))
    }
}

impl ListField {
    fn draw(
        &self,
        source: &mut Source<'_>,
        (words, flag): (&[u64], u64),
        taken: &[u64],
    ) -> Result<u64, WorkloadError> {
        let mut index = source.index(&self.step, words, flag)?;
        if self.distinct {
            for _ in 1..DISTINCT_TRIES_MAX {
                if !taken.contains(&index) {
                    return Ok(index);
                }
                index = source.index(&self.step, words, flag)?;
            }
            if taken.contains(&index) {
                index = (0..).find(|lowest| !taken.contains(lowest)).unwrap_or(0);
            }
        }
        Ok(index)
    }
}
