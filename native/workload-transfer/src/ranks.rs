//! Section 4: ranks of a Zipf distribution, by rejection-inversion (Hörmann & Derflinger, ACM TOMACS 6(3),
//! 1996) in the variable rank / first.

use crate::elementary::{exp, expm1_over_x, log, log1p_over_x};
use crate::xoshiro::Xoshiro128;

/// Draws a rank of first … last with a probability proportional to rank^−alpha.
pub(crate) enum RankSampler {
    Uniform { first: u64, count: f64 },
    Zipf(Box<Zipf>),
}

pub(crate) struct Zipf {
    alpha: f64,
    slope: f64,
    steep: bool,
    slope_inverse: f64,
    first: f64,
    last: f64,
    area_first: f64,
    area_last: f64,
    area_span: f64,
    shift: f64,
}

/// −1 + 2⁻⁵³: below it `1 + t` would no longer be a positive double.
const RESIDUE_MIN: f64 = -1.0 + 1.0 / 9_007_199_254_740_992.0;

impl RankSampler {
    pub(crate) fn new(alpha: f64, first: u64, last: u64) -> Self {
        if alpha == 0.0 {
            return Self::Uniform { first, count: (last - first + 1) as f64 };
        }
        Self::Zipf(Box::new(Zipf::new(alpha, first as f64, last as f64)))
    }

    /// The index of the rank: rank − 1.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Xoshiro128) -> u32 {
        match self {
            Self::Uniform { first, count } => {
                let offset = (random.uniform() * count).floor().min(count - 1.0);
                (first - 1 + offset as u64) as u32
            }
            Self::Zipf(zipf) => (zipf.draw(random) - 1.0) as u32,
        }
    }
}

impl Zipf {
    fn new(alpha: f64, first: f64, last: f64) -> Self {
        let slope = 1.0 - alpha;
        let steep = slope.abs() >= 1.0 / 1024.0;
        let mut zipf = Self {
            alpha,
            slope,
            steep,
            slope_inverse: if steep { 1.0 / slope } else { 0.0 },
            first,
            last,
            area_first: 0.0,
            area_last: 0.0,
            area_span: 0.0,
            shift: 0.0,
        };
        zipf.area_first = zipf.integral(first + 0.5);
        zipf.area_last = zipf.integral(last + 0.5);
        zipf.area_span = zipf.area_first - 1.0 / first - zipf.area_last;
        zipf.shift = first + 1.0 - zipf.inverse(zipf.integral(first + 1.5) - zipf.density(first + 1.0));
        zipf
    }

    fn draw(&self, random: &mut Xoshiro128) -> f64 {
        loop {
            let area = self.area_last + random.uniform() * self.area_span;
            if area <= self.area_first {
                return self.first;
            }
            let x = self.inverse(area);
            let rank = (x + 0.5).floor().min(self.last);
            if rank - x <= self.shift || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank;
            }
        }
    }

    fn integral(&self, rank: f64) -> f64 {
        let logarithm = log(rank / self.first);
        expm1_over_x(self.slope * logarithm) * logarithm
    }

    fn density(&self, rank: f64) -> f64 {
        exp(-self.alpha * log(rank / self.first)) / self.first
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
