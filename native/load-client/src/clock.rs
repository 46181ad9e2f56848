//! Nanoseconds on one monotonic clock for all threads, counted from the first reading.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A time of this clock, or a length of it.
pub type Nanos = u64;

/// Nanoseconds of a millisecond.
pub const MS: Nanos = 1_000_000;
/// Nanoseconds of a second.
pub const SECOND: Nanos = 1_000 * MS;
/// A time that does not come.
pub const NEVER: Nanos = Nanos::MAX;

static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Now.
#[inline]
#[must_use]
pub fn now() -> Nanos {
    ORIGIN.elapsed().as_nanos() as Nanos
}

/// The instant of a time. What lies years ahead comes sooner: whoever waits for it looks at the clock again.
#[must_use]
pub fn instant_of(time: Nanos) -> Instant {
    const FAR: Nanos = 365 * 86_400 * SECOND;
    *ORIGIN + Duration::from_nanos(time.min(FAR))
}

/// Milliseconds of a length, with all digits.
#[must_use]
pub fn to_ms(length: Nanos) -> f64 {
    length as f64 / MS as f64
}

/// The length of so many milliseconds.
#[must_use]
pub const fn from_ms(ms: u64) -> Nanos {
    ms.saturating_mul(MS)
}
