//! Whether throughput has become steady. After Georges et al., OOPSLA 2007, and Barrett et al., OOPSLA 2017: a
//! fixed warm-up proves nothing, and steady state sometimes never comes.

/// How many trailing slices of throughput are compared.
pub(super) const SLICES: usize = 8;

/// A change this small is steady, whatever its margin.
const CHANGE_SMALL: f64 = 0.05;
/// A change this large is not steady, however noisy the slices are.
const CHANGE_LARGE: f64 = 0.2;
/// Student's t, two-sided 95 %, for eight points and two coefficients.
const T95: f64 = 2.447;

/// Over the last eight slices the change by linear regression is at most 5 % of the mean, or it is at most
/// 20 % and within its own 95 % margin.
#[must_use]
pub(super) fn is_steady(throughputs: &[f64]) -> bool {
    let Some(first) = throughputs.len().checked_sub(SLICES) else { return false };
    let Some((change, margin)) = trend_of(&throughputs[first..]) else { return false };
    change.abs() <= CHANGE_SMALL || (change.abs() <= CHANGE_LARGE && change.abs() <= margin)
}

/// Change of throughput over a window as a share of its mean; 0 if the window is too short or empty.
#[must_use]
pub(super) fn drift_of(throughputs: &[f64]) -> f64 {
    trend_of(throughputs).map_or(0.0, |(change, _)| change)
}

/// A straight line by least squares: its change over the series as a share of the mean, and that change's
/// 95 % margin. None with fewer than three points or a mean of zero.
fn trend_of(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 3 || mean == 0.0 {
        return None;
    }
    let middle = (count - 1.0) / 2.0;
    let points = || values.iter().enumerate().map(|(index, value)| (index as f64 - middle, value - mean));
    let spread: f64 = points().map(|(x, _)| x * x).sum();
    let slope = points().map(|(x, y)| x * y).sum::<f64>() / spread;
    let residual: f64 = points().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let slope_error = (residual / (count - 2.0) / spread).sqrt();
    Some((slope * count / mean, T95 * slope_error * count / mean))
}

#[cfg(test)]
#[path = "tests/steady_state.rs"]
mod tests;
