//! Latencies of one kind of outcome, in whole microseconds, in the encoding that both twins share.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde_json::{Value, json};

use crate::clock::Nanos;
use crate::error::{Error, Result};

const LOWEST_US: u64 = 1;
/// Values above one hour are recorded as one hour; the sum and the maximum keep the original.
const HIGHEST_US: u64 = 3_600_000_000;
const DIGITS: u8 = 3;
/// More groups than a histogram of three digits can distinguish over most of their range.
const EVEN_GROUPS_MAX: u64 = 10_000;

/// A histogram, and the exact sum and maximum of its values.
pub struct LatencyHistogram {
    histogram: Histogram<u64>,
    count: u64,
    sum: u128,
    max: Nanos,
}

impl LatencyHistogram {
    /// An empty one.
    ///
    /// # Errors
    /// Never, with these bounds.
    pub fn new() -> Result<Self> {
        let histogram = Histogram::new_with_bounds(LOWEST_US, HIGHEST_US, DIGITS)
            .map_err(|error| Error::Histogram(error.to_string()))?;
        Ok(Self { histogram, count: 0, sum: 0, max: 0 })
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.count += 1;
        self.sum += u128::from(latency);
        self.max = self.max.max(latency);
        self.histogram.saturating_record(((latency + 500) / 1000).min(HIGHEST_US));
    }

    /// Counts `count` values at equal distances, from `longest` down. Many of them are counted in groups by the
    /// group's smallest value, so none becomes longer.
    pub fn record_evenly(&mut self, longest: Nanos, interval: f64, (count, each): (u64, u64)) {
        if count == 0 {
            return;
        }
        let size = count.div_ceil(EVEN_GROUPS_MAX);
        let mut first = 0;
        while first < count {
            let group = size.min(count - first);
            let us = (longest as f64 - (first + group - 1) as f64 * interval).max(0.0) / 1000.0;
            self.histogram.saturating_record_n((us.round() as u64).min(HIGHEST_US), group * each);
            first += group;
        }
        self.count += count * each;
        self.sum +=
            (each as f64 * count as f64 * (longest as f64 - (count - 1) as f64 * interval / 2.0)) as u128;
        self.max = self.max.max(longest);
    }

    /// Adds the values of another thread.
    ///
    /// # Errors
    /// Never, with the same bounds.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.histogram.add(&other.histogram).map_err(|error| Error::Histogram(error.to_string()))?;
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
        Ok(())
    }

    /// As it stands in a trial result.
    ///
    /// # Errors
    /// When there is no memory to compress it.
    pub fn to_json(&self) -> Result<Value> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.histogram, &mut bytes)
            .map_err(|error| Error::Histogram(error.to_string()))?;
        Ok(json!({
            "count": self.count,
            "sumUs": self.sum as f64 / 1000.0,
            "maxUs": self.max as f64 / 1000.0,
            "hdr": STANDARD.encode(bytes),
        }))
    }
}
