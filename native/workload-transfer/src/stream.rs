//! Section 6: the operations of a session.

use std::sync::Arc;

use fair_bench_workload::parts::{Permutation, Purpose, RankSampler, Xoshiro128, seed_words};

use crate::parameters::Parameters;

/// Moves `amount` from account `source` to account `target`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// The account that pays.
    pub source: u32,
    /// The account that is paid; never the source.
    pub target: u32,
    /// At least 1.
    pub amount: i64,
}

/// What all sessions of a trial have in common, computed once.
pub struct Shared {
    seed: u64,
    ranks: RankSampler,
    ranks_from_second: RankSampler,
    ids: Option<Permutation>,
    amount_max: u64,
}

impl Shared {
    /// Of parameters that were parsed.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { seed, accounts, alpha, scramble, amount_max, .. } = *parameters;
        Self {
            seed,
            ranks: RankSampler::new(alpha, 1, accounts),
            ranks_from_second: RankSampler::new(alpha, 2, accounts),
            ids: scramble.then(|| Permutation::new(seed, 0, accounts)),
            amount_max: u64::from(amount_max),
        }
    }

    fn id_of(&self, index: u32) -> u32 {
        self.ids.as_ref().map_or(index, |permutation| permutation.apply(index))
    }
}

/// The stream of one session: its k-th operation is fixed by (parameters, session) alone.
pub struct Stream {
    random: Xoshiro128,
    shared: Arc<Shared>,
}

impl Stream {
    /// From its first operation.
    #[must_use]
    pub fn new(shared: &Arc<Shared>, session: u32) -> Self {
        let state = seed_words(shared.seed, u64::from(session), Purpose::Operations);
        Self { random: Xoshiro128::new(state), shared: Arc::clone(shared) }
    }

    /// The next operation.
    pub fn next_transfer(&mut self) -> Transfer {
        let Self { random, shared } = self;
        let source = shared.ranks.draw(random);
        let target = if source == 0 {
            // "Redraw until it is not rank 1" in one draw: at a high alpha nearly every redraw would be rank 1.
            shared.ranks_from_second.draw(random)
        } else {
            // No rank but the first has more than half of the probability.
            loop {
                let target = shared.ranks.draw(random);
                if target != source {
                    break target;
                }
            }
        };
        let amount = 1 + ((u64::from(random.next_u32()) * shared.amount_max) >> 32) as i64;
        Transfer { source: shared.id_of(source), target: shared.id_of(target), amount }
    }
}
