//! Reports of acknowledgements that the plan lists, so that another connection can look whether the operations were done.
//! A session cannot see which are listed. The twin of `packages/load-client/src/loop/watched.ts`.

use std::hash::{BuildHasher as _, RandomState};

use super::assignment::Assignment;
use crate::clock::{MS, Nanos, to_machine_us};
use crate::outcome::Acknowledged;

pub(super) struct Watched {
    every: f64,
    session_first: u32,
    session_last: u32,
    /// A bit for each operation, by session of the thread.
    listed: Box<[Vec<u64>]>,
    drawn_most: u32,
    next: Nanos,
    random: RandomState,
}

impl Watched {
    pub(super) fn new(assignment: &Assignment) -> Self {
        let Assignment { trial, session_first, session_count, .. } = assignment;
        let mut listed = vec![Vec::new(); *session_count as usize].into_boxed_slice();
        let plan = trial.plan.watched.as_ref();
        for operations in plan.map_or(&[][..], |plan| &plan.operations) {
            let Some((session, sequences)) = operations.split_first() else { continue };
            let own = session.checked_sub(*session_first).and_then(|own| listed.get_mut(own as usize));
            let Some(bits) = own else { continue };
            for sequence in sequences {
                let word = (*sequence / u64::BITS) as usize;
                if word >= bits.len() {
                    bits.resize(word + 1, 0);
                }
                bits[word] |= 1 << (*sequence % u64::BITS);
            }
        }
        Self {
            every: plan.map_or(0.0, |plan| plan.every_ms) * f64::from(trial.plan.threads) * MS as f64,
            session_first: *session_first,
            session_last: *session_first + session_count.saturating_sub(1),
            listed,
            drawn_most: 0,
            next: 0,
            random: RandomState::new(),
        }
    }

    /// A session of the thread has drawn this operation of its stream.
    #[inline]
    pub(super) fn drawn(&mut self, sequence: u32) {
        self.drawn_most = self.drawn_most.max(sequence);
    }

    /// Whether the operation of the thread's session of this place is listed.
    #[inline]
    pub(super) fn has(&self, session: u32, sequence: u32) -> bool {
        let word = self.listed[session as usize].get((sequence / u64::BITS) as usize);
        word.is_some_and(|word| word & 1 << (sequence % u64::BITS) != 0)
    }

    /// A listed operation was applied in the window. The time of the next report is drawn: no rhythm shows it.
    pub(super) fn acknowledged(&mut self, session: u32, sequence: u32, time: Nanos) -> Option<Acknowledged> {
        if time < self.next {
            return None;
        }
        let share = self.random.hash_one(time) as f64 / u64::MAX as f64;
        self.next = time + (self.every * (0.5 + share)) as Nanos;
        Some(Acknowledged {
            session: self.session_first + session,
            sequence,
            at_ms: to_machine_us(time) / 1e3,
            sessions: [self.session_first, self.session_last],
            drawn_most: self.drawn_most,
        })
    }
}
