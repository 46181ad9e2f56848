//! Section 3: logarithm and exponential out of IEEE 754 operations in a stated order. The compiler neither
//! reassociates nor fuses them, so the order below is the order in which they are rounded.

// The shortest decimals of the doubles, as the specification gives them.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const STEP_LN2: f64 = 0.005_415_212_348_124_572_5;
const ONE_OVER_LN2: f64 = std::f64::consts::LOG2_E;
const STEPS_PER_UNIT: f64 = 184.664_965_233_787_3;

/// Relative to the upper word of √½, the exponent field is that of a mantissa in [√½, √2).
const ROOT_HIGH: u32 = 0x3fe6_a09e;
const ROOT_OFFSET: u32 = 0x3ff0_0000 - ROOT_HIGH;

const THIRD: f64 = 1.0 / 3.0;
const SIXTH: f64 = 1.0 / 6.0;
const TWENTY_FOURTH: f64 = 1.0 / 24.0;
const HUNDRED_TWENTIETH: f64 = 1.0 / 120.0;
const SEVEN_HUNDRED_TWENTIETH: f64 = 1.0 / 720.0;

struct Tables {
    center_inverses: [f64; 128],
    center_logs: [f64; 128],
    roots: [f64; 128],
}

static TABLES: Tables = Tables::new();

impl Tables {
    const fn new() -> Self {
        let mut tables = Self { center_inverses: [0.0; 128], center_logs: [0.0; 128], roots: [0.0; 128] };
        let mut i = 0;
        while i < 128 {
            let center = f64::from_bits(((ROOT_HIGH + 8192 * i as u32 + 4096) as u64) << 32);
            tables.center_inverses[i] = 1.0 / center;
            tables.center_logs[i] = series_log(center);
            tables.roots[i] = series_exp(i as f64 * STEP_LN2);
            i += 1;
        }
        tables
    }
}

/// For the tables: natural logarithm of a normal positive double.
pub(crate) const fn series_log(x: f64) -> f64 {
    let k = ((high(x) + ROOT_OFFSET) >> 20) as i32 - 1023;
    let m = x / power_of_two(k);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut sum = 1.0 / 21.0;
    let mut divisor = 19;
    while divisor >= 3 {
        sum = sum * z + 1.0 / divisor as f64;
        divisor -= 2;
    }
    let t = s + s;
    k as f64 * LN2_HIGH + (t + (t * (z * sum) + k as f64 * LN2_LOW))
}

/// For the tables: e to the power of x, −708 ≤ x ≤ 709.
pub(crate) const fn series_exp(x: f64) -> f64 {
    let k = (x * ONE_OVER_LN2 + 0.5).floor();
    let r = x - k * LN2_HIGH - k * LN2_LOW;
    let mut factorial = 6_227_020_800.0;
    let mut sum = 1.0 / factorial;
    let mut degree = 12;
    while degree >= 2 {
        factorial /= (degree + 1) as f64;
        sum = sum * r + 1.0 / factorial;
        degree -= 1;
    }
    (1.0 + (r + r * r * sum)) * power_of_two(k as i32)
}

/// Natural logarithm of a normal positive double.
#[inline]
pub(crate) fn log(x: f64) -> f64 {
    let tables = &TABLES;
    let shifted = high(x) + ROOT_OFFSET;
    let k = (shifted >> 20) as i32 - 1023;
    let index = ((shifted >> 13) & 127) as usize;
    let r = x * power_of_two(-k) * tables.center_inverses[index] - 1.0;
    let r2 = r * r;
    let p = r * THIRD - 0.5 + r2 * (r * 0.2 - 0.25 - r2 * SIXTH);
    f64::from(k) * LN2_HIGH + tables.center_logs[index] + (r + (r2 * p + f64::from(k) * LN2_LOW))
}

/// e to the power of x ≤ 709; 0 below −708.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    if x < -708.0 {
        return 0.0;
    }
    let steps = floor(x * STEPS_PER_UNIT + 0.5);
    let r = x - f64::from(steps) * (LN2_HIGH / 128.0) - f64::from(steps) * (LN2_LOW / 128.0);
    let r2 = r * r;
    let p = 0.5 + r * SIXTH + r2 * (TWENTY_FOURTH + r * HUNDRED_TWENTIETH);
    let root = TABLES.roots[(steps & 127) as usize];
    (root + root * (r + r2 * p)) * power_of_two(steps >> 7)
}

/// log(1 + x) / x for x > −1.
#[inline]
pub(crate) fn log1p_over_x(x: f64) -> f64 {
    if x > -0.001 && x < 0.001 {
        return 1.0 - x * (0.5 - x * (THIRD - x * (0.25 - x * (0.2 - x * SIXTH))));
    }
    log(1.0 + x) / x
}

/// (exp(x) − 1) / x.
pub(crate) fn expm1_over_x(x: f64) -> f64 {
    if x > -0.001 && x < 0.001 {
        let tail = TWENTY_FOURTH + x * (HUNDRED_TWENTIETH + x * SEVEN_HUNDRED_TWENTIETH);
        return 1.0 + x * (0.5 + x * (SIXTH + x * tail));
    }
    (exp(x) - 1.0) / x
}

/// 2 to the power of k, exact, −1022 ≤ k ≤ 1023.
#[inline]
const fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// ⌊x⌋, |x| < 2³¹. Without SSE 4.1, which a build for every x86-64 has not, `f64::floor` is a call.
#[inline]
fn floor(x: f64) -> i32 {
    let whole = x as i32;
    whole - i32::from(f64::from(whole) > x)
}

#[inline]
const fn high(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}
