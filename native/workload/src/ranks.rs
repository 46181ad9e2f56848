//! Section 4: ranks of a Zipf distribution, by rejection-inversion (Hörmann & Derflinger, ACM TOMACS 6(3),
//! 1996) in the variable rank / first.

use crate::elementary::{exp, expm1_over_x, log, log1p_over_x};
use crate::xoshiro::Xoshiro128;

/// Draws a rank of first … last with a probability proportional to rank^−exponent.
#[derive(Clone, Debug)]
pub(crate) enum RankSampler {
    /// Exponent 0.
    Uniform {
        /// The first rank.
        first: u64,
        /// How many ranks.
        count: f64,
    },
    /// Any other.
    Zipf(Box<Zipf>),
}

#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    exponent: f64,
    slope: f64,
    steep: bool,
    slope_inverse: f64,
    first: f64,
    last: f64,
    area_first: f64,
    area_last: f64,
    area_span: f64,
    shift: f64,
    guide: Option<Guide>,
}

/// The ranks of most uniform draws, looked up instead of computed: those of slices of [0, 1) in which every draw gives the same
/// one. Draws are the same with it and without.
#[derive(Clone, Debug)]
struct Guide(Box<[u16]>);

const GUIDE_BITS: u32 = 14;
/// Above it, a draw's error in x may come near the margin below.
const GUIDE_EXPONENT_MAX: f64 = 2.0;
/// Of x: `inverse` errs by less than a tenth of it, for ranks below 2³² and exponents up to 2.
const GUIDE_MARGIN: f64 = 1e-5;

/// −1 + 2⁻⁵³: below it `1 + t` would no longer be a positive double.
const RESIDUE_MIN: f64 = -1.0 + 1.0 / 9_007_199_254_740_992.0;

impl RankSampler {
    /// Exponent is 0 … 32, and first at most last.
    pub(crate) fn new(exponent: f64, first: u64, last: u64) -> Self {
        if exponent == 0.0 {
            return Self::Uniform { first, count: (last - first + 1) as f64 };
        }
        Self::Zipf(Box::new(Zipf::new(exponent, first as f64, last as f64)))
    }

    /// The same with a guide, for a sampler that lasts.
    pub(crate) fn guided(exponent: f64, first: u64, last: u64) -> Self {
        let mut sampler = Self::new(exponent, first, last);
        if let Self::Zipf(zipf) = &mut sampler {
            zipf.guide = (exponent <= GUIDE_EXPONENT_MAX).then(|| Guide::new(zipf));
        }
        sampler
    }

    /// The index of the rank: rank − 1.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Xoshiro128) -> u32 {
        match self {
            Self::Uniform { first, count } => {
                let offset = ((random.uniform() * count) as u64).min(*count as u64 - 1);
                (first - 1 + offset) as u32
            }
            Self::Zipf(zipf) => (zipf.draw(random) - 1.0) as u32,
        }
    }

    /// The rank, which may be beyond 32 bits.
    pub(crate) fn rank(&self, random: &mut Xoshiro128) -> u64 {
        match self {
            Self::Uniform { first, count } => {
                first + ((random.uniform() * count) as u64).min(*count as u64 - 1)
            }
            Self::Zipf(zipf) => zipf.draw(random) as u64,
        }
    }
}

/// Ranks of a session's own inserts, newest first, and then of the seeded rows, the last first.
pub(crate) struct LatestRanks {
    exponent: f64,
    rows: u64,
    inserts: u64,
    ranks: RankSampler,
}

impl LatestRanks {
    pub(crate) fn new(exponent: f64, rows: u64) -> Self {
        Self { exponent, rows, inserts: 0, ranks: RankSampler::new(exponent, 1, rows.max(1)) }
    }

    /// The key; 0 while there is no row.
    pub(crate) fn draw(&mut self, random: &mut Xoshiro128, inserts: u64, sessions: u64, session: u64) -> u64 {
        if inserts != self.inserts {
            self.inserts = inserts;
            self.ranks = RankSampler::new(self.exponent, 1, (self.rows + inserts).max(1));
        }
        let index = u64::from(self.ranks.draw(random));
        if index < inserts {
            return self.rows + (inserts - 1 - index) * sessions + session;
        }
        (self.rows + inserts).saturating_sub(1 + index)
    }
}

/// YCSB's fold of an item onto 0 … count − 1: FNV-1a over its eight octets, the lowest first, as a signed 64-bit
/// integer; its absolute value modulo count.
#[must_use]
pub fn fold_item(item: u64, count: u64) -> u64 {
    let hash = item.to_le_bytes().into_iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash as i64).unsigned_abs() % count
}

impl Zipf {
    fn new(exponent: f64, first: f64, last: f64) -> Self {
        let slope = 1.0 - exponent;
        let steep = slope.abs() >= 1.0 / 1024.0;
        let mut zipf = Self {
            exponent,
            slope,
            steep,
            slope_inverse: if steep { 1.0 / slope } else { 0.0 },
            first,
            last,
            area_first: 0.0,
            area_last: 0.0,
            area_span: 0.0,
            shift: 0.0,
            guide: None,
        };
        zipf.area_first = zipf.integral(first + 0.5);
        zipf.area_last = zipf.integral(last + 0.5);
        zipf.area_span = zipf.area_first - 1.0 / first - zipf.area_last;
        zipf.shift = first + 1.0 - zipf.inverse(zipf.integral(first + 1.5) - zipf.density(first + 1.0));
        zipf
    }

    #[inline]
    fn draw(&self, random: &mut Xoshiro128) -> f64 {
        let uniform = random.uniform();
        match self.guide.as_ref().and_then(|guide| guide.rank(uniform)) {
            Some(rank) => rank,
            None => self.rejected_or(uniform, random),
        }
    }

    #[inline(never)]
    fn rejected_or(&self, mut uniform: f64, random: &mut Xoshiro128) -> f64 {
        loop {
            let area = self.area_last + uniform * self.area_span;
            if area <= self.area_first {
                return self.first;
            }
            let x = self.inverse(area);
            // ⌊x + 0.5⌋; `f64::floor` may be a call.
            let rank = ((x + 0.5) as i64 as f64).min(self.last);
            if rank - x <= self.shift || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank;
            }
            uniform = random.uniform();
        }
    }

    /// The rank that a draw and all very near it give; `None` near the edges of a rank.
    fn rank_around(&self, uniform: f64) -> Option<f64> {
        // Rounded products and sums ascend with their terms: what holds at both ends of a slice holds within it.
        let area = self.area_last + uniform * self.area_span;
        if area <= self.area_first {
            return Some(self.first);
        }
        let x = self.inverse(area);
        let rank = ((x + 0.5) as i64 as f64).min(self.last);
        let margin = x * GUIDE_MARGIN;
        let is_inside = rank - x + margin <= self.shift && x + margin < rank + 0.5 && x - margin > rank - 0.5;
        is_inside.then_some(rank)
    }

    fn integral(&self, rank: f64) -> f64 {
        let logarithm = log(rank / self.first);
        expm1_over_x(self.slope * logarithm) * logarithm
    }

    fn density(&self, rank: f64) -> f64 {
        exp(-self.exponent * log(rank / self.first)) / self.first
    }

    fn inverse(&self, area: f64) -> f64 {
        let t = area * self.slope;
        let y = if self.steep {
            log(1.0 + t.max(RESIDUE_MIN)) * self.slope_inverse
        } else {
            log1p_over_x(t) * area
        };
        self.first * exp(y)
    }
}

impl Guide {
    fn new(zipf: &Zipf) -> Self {
        let slices = 1_u32 << GUIDE_BITS;
        let at = |edge: f64| zipf.rank_around(edge / f64::from(slices));
        let rank_of = |slice: u32| {
            // The greatest draw of a slice is below its end, which may give another rank.
            let (low, high) = (at(f64::from(slice))?, at(f64::from(slice + 1))?);
            if low == high && low <= f64::from(u16::MAX) { Some(low as u16) } else { None }
        };
        Self((0..slices).map(|slice| rank_of(slice).unwrap_or(0)).collect())
    }

    #[inline]
    fn rank(&self, uniform: f64) -> Option<f64> {
        let rank = self.0[(uniform * f64::from(1_u32 << GUIDE_BITS)) as usize];
        (rank > 0).then(|| f64::from(rank))
    }
}

#[cfg(test)]
#[path = "tests/ranks.rs"]
mod tests;
