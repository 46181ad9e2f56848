//! Section 2: xoshiro128++ 1.0 (Blackman & Vigna 2019).

/// A session's generator.
#[derive(Clone)]
pub(crate) struct Xoshiro128 {
    state: [u32; 4],
}

impl Xoshiro128 {
    /// The state must not be all zero.
    pub(crate) const fn new(state: [u32; 4]) -> Self {
        Self { state }
    }

    /// The next output.
    #[inline]
    pub(crate) fn next_u32(&mut self) -> u32 {
        let [s0, s1, s2, s3] = self.state;
        let result = s0.wrapping_add(s3).rotate_left(7).wrapping_add(s0);
        let s2 = s2 ^ s0;
        let s3 = s3 ^ s1;
        self.state = [s0 ^ s3, s1 ^ s2, s2 ^ (s1 << 9), s3.rotate_left(11)];
        result
    }

    /// A double in [0, 1) on the grid of 2⁻⁵³.
    #[inline]
    pub(crate) fn uniform(&mut self) -> f64 {
        let high = self.next_u32() >> 5;
        let low = self.next_u32() >> 6;
        (f64::from(high) * 67_108_864.0 + f64::from(low)) * (1.0 / 9_007_199_254_740_992.0)
    }
}
