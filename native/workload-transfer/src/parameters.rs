//! The parameters, as they stand in a trial plan: JSON, complete, no defaults.

use serde_json::{Map, Value};

/// The parameters of the transfer workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Decides every operation and the scrambling.
    pub seed: u64,
    /// Accounts are 0 … accounts − 1; 2 … 2³².
    pub accounts: u64,
    /// What every account holds at first, at most 2⁶³ − 1.
    pub initial_balance: u64,
    /// The exponent of the Zipf distribution, 0 … 32; 0 is uniform.
    pub alpha: f64,
    /// Whether ids are a seeded permutation of the ranks; otherwise id = rank − 1.
    pub scramble: bool,
    /// Amounts are uniform in 1 … `amount_max`, at most 2²¹.
    pub amount_max: u32,
}

const NAMES: [&str; 6] = ["seed", "accounts", "initialBalance", "alpha", "scramble", "amountMax"];

/// 2³² accounts: ids have 32 bits.
pub(crate) const ACCOUNTS_MAX: u64 = 1 << 32;
const AMOUNT_MAX: u64 = 1 << 21;
const ALPHA_MAX: f64 = 32.0;

impl Parameters {
    /// Parses parameters; the error names each that is missing, unknown or out of its range.
    ///
    /// # Errors
    /// One line, the parts joined by `; `.
    pub fn parse(parameters: &Map<String, Value>) -> Result<Self, String> {
        let mut wrong = Vec::new();
        for name in parameters.keys().filter(|name| !NAMES.contains(&name.as_str())) {
            wrong.push(format!("{name}: there is no such parameter; there are {}", NAMES.join(", ")));
        }
        let mut number = |name: &str, accepts: &str, value: Option<f64>| {
            value.unwrap_or_else(|| {
                let got = parameters.get(name).map_or_else(|| "nothing".to_owned(), excerpt);
                wrong.push(format!("{name}: got {got}, accepts {accepts}"));
                0.0
            })
        };
        let whole = |name: &str, min: u64, max: u64| {
            let value = parameters.get(name)?.as_f64()?;
            (value.fract() == 0.0 && value >= min as f64 && value <= max as f64).then_some(value)
        };
        let accounts =
            number("accounts", "a whole number from 2 to 2^32", whole("accounts", 2, ACCOUNTS_MAX));
        let amount_max =
            number("amountMax", "a whole number from 1 to 2^21", whole("amountMax", 1, AMOUNT_MAX));
        let alpha = parameters.get("alpha").and_then(Value::as_f64);
        let alpha =
            number("alpha", "a number from 0 to 32", alpha.filter(|alpha| (0.0..=ALPHA_MAX).contains(alpha)));
        let scramble = parameters.get("scramble").and_then(Value::as_bool);
        number("scramble", "true or false", scramble.map(|_| 0.0));
        let decimal = |name: &str, max: u64| {
            let text = parameters.get(name)?.as_str()?;
            let digits = (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|value: &u64| digits && *value <= max)
        };
        let seed = decimal("seed", u64::MAX);
        number("seed", "a decimal integer from 0 to 2^64 − 1, as a string", seed.map(|_| 0.0));
        let initial_balance = decimal("initialBalance", i64::MAX as u64);
        number(
            "initialBalance",
            "a decimal integer from 0 to 2^63 − 1, as a string",
            initial_balance.map(|_| 0.0),
        );
        match (seed, initial_balance, scramble) {
            (Some(seed), Some(initial_balance), Some(scramble)) if wrong.is_empty() => Ok(Self {
                seed,
                accounts: accounts as u64,
                initial_balance,
                // −0 passes for 0.
                alpha: alpha + 0.0,
                scramble,
                amount_max: amount_max as u32,
            }),
            _ => Err(wrong.join("; ")),
        }
    }
}

/// A value as it may stand in a message.
fn excerpt(value: &Value) -> String {
    const CHARACTERS_MAX: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= CHARACTERS_MAX {
        return text;
    }
    text.chars().take(CHARACTERS_MAX).chain(['…']).collect()
}
