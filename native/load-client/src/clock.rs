//! Nanoseconds on one monotonic clock for all threads, counted from the first reading.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// A time of this clock, or a length of it.
pub type Nanos = u64;

/// Nanoseconds of a millisecond.
pub const MS: Nanos = 1_000_000;
/// Nanoseconds of a second.
pub const SECOND: Nanos = 1_000 * MS;
/// A time that never comes.
pub const NEVER: Nanos = Nanos::MAX;

static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// This clock's origin on the machine's monotonic clock, which all processes share, in microseconds.
static ORIGIN_US: LazyLock<f64> = LazyLock::new(|| {
    let elapsed_us = now() as f64 / 1e3;
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0.0, |time| Duration::from(time).as_secs_f64() * 1e6 - elapsed_us)
});

/// A time of this clock on the machine's monotonic clock, microseconds.
#[must_use]
pub fn to_machine_us(time: Nanos) -> f64 {
    *ORIGIN_US + time as f64 / 1e3
}

/// The time of this clock for a time of the machine's monotonic clock, in microseconds.
#[must_use]
pub fn of_machine_us(us: f64) -> Nanos {
    ((us - *ORIGIN_US) * 1e3).max(0.0) as Nanos
}

/// Now.
#[inline]
#[must_use]
pub fn now() -> Nanos {
    ORIGIN.elapsed().as_nanos() as Nanos
}

/// The instant of a time. One that is years away comes sooner: the caller looks at the clock again.
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

/// The length of this many milliseconds.
#[must_use]
pub const fn from_ms(ms: u64) -> Nanos {
    ms.saturating_mul(MS)
}
