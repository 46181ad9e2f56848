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

/// This clock's origin: as an instant, and on the machine's monotonic clock, which all processes share.
static ORIGIN: LazyLock<(Instant, Nanos)> = LazyLock::new(|| (Instant::now(), machine_nanos()));

/// A time of this clock on the machine's monotonic clock, microseconds.
#[must_use]
pub fn to_machine_us(time: Nanos) -> f64 {
    origin_us() + time as f64 / 1e3
}

/// The time of this clock for a time of the machine's monotonic clock, in microseconds.
#[must_use]
pub fn of_machine_us(us: f64) -> Nanos {
    ((us - origin_us()) * 1e3).max(0.0) as Nanos
}

/// Now.
#[inline]
#[must_use]
pub fn now() -> Nanos {
    // Not by `Instant`, whose arithmetic takes longer than the reading.
    machine_nanos().saturating_sub(ORIGIN.1)
}

#[inline]
fn machine_nanos() -> Nanos {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0, |time| time.tv_sec() as Nanos * SECOND + time.tv_nsec() as Nanos)
}

fn origin_us() -> f64 {
    ORIGIN.1 as f64 / 1e3
}

/// A time that is years away comes sooner: the caller looks at the clock again.
const FAR: Nanos = 365 * 86_400 * SECOND;

/// The instant of a time.
#[must_use]
pub fn instant_of(time: Nanos) -> Instant {
    ORIGIN.0 + Duration::from_nanos(time.min(FAR))
}

/// The same on the machine's monotonic clock.
#[must_use]
pub fn on_machine(time: Nanos) -> Duration {
    Duration::from_nanos(ORIGIN.1 + time.min(FAR))
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
