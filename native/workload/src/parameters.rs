//! The values of a trial plan's parameters, and what refers to them in a description.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::description::{Bound, Constant, OrParameter, Parameter, ParameterKind, Weight};

/// Beside the parameters of the description.
const SEED: &str = "seed";

#[derive(Clone, Copy)]
pub(crate) struct Parameters<'a>(&'a Map<String, Value>);

impl<'a> Parameters<'a> {
    /// Every described parameter is there with a value that it takes, and no other one but `seed`.
    pub(crate) fn check(values: &'a Map<String, Value>, known: &[Parameter]) -> Result<Self, String> {
        for name in values.keys().filter(|name| *name != SEED) {
            if !known.iter().any(|parameter| parameter.name == *name) {
                let names: Vec<&str> = known.iter().map(|parameter| parameter.name.as_str()).collect();
                return Err(format!("parameters: there is no {name}; there are seed, {}", names.join(", ")));
            }
        }
        for parameter in known {
            let value = values.get(&parameter.name).unwrap_or(&Value::Null);
            accepts(&parameter.kind, value).map_err(|accepted| {
                format!("parameters.{}: expected {accepted}, got {value}", parameter.name)
            })?;
        }
        Ok(Self(values))
    }

    pub(crate) fn seed(self) -> Result<u64, String> {
        let seed = self.text(SEED).parse();
        seed.map_err(|_| {
            "parameters.seed: expected a decimal integer from 0 to 2^64 − 1, as a string".to_owned()
        })
    }

    /// The value of a choice.
    pub(crate) fn text(self, name: &str) -> &'a str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn weight(self, weight: &Weight) -> Result<u32, String> {
        let number = match weight {
            Weight::Whole(weight) => return Ok(*weight),
            Weight::Parameter(name) => self.0.get(name),
            Weight::Cases { parameter, weights } => {
                let value = self.text(parameter);
                match weights.get(value) {
                    None => return Ok(0),
                    weight => weight,
                }
            }
        };
        let whole = number.and_then(whole).and_then(|weight| u32::try_from(weight).ok());
        whole.ok_or_else(|| "expected a whole number of 0 or more".to_owned())
    }

    pub(crate) fn bound(self, bound: &Bound) -> Result<i64, String> {
        let text = match bound {
            Bound::Whole(number) => return Ok(*number),
            Bound::Text(text) => text,
        };
        let number = match self.0.get(text) {
            Some(Value::String(digits)) => digits.parse().ok(),
            Some(value) => whole(value),
            None => text.parse().ok(),
        };
        number.ok_or_else(|| format!("{text} is no whole number and no parameter that is one"))
    }

    /// As a slot holds it.
    pub(crate) fn constant(self, constant: &Constant) -> Result<u64, String> {
        let bound = match constant {
            Constant::Flag(flag) => return Ok(u64::from(*flag)),
            Constant::Bound(bound) => bound,
        };
        if let Bound::Text(name) = bound
            && let Some(Value::Bool(flag)) = self.0.get(name)
        {
            return Ok(u64::from(*flag));
        }
        self.bound(bound).map(|number| number as u64)
    }

    pub(crate) fn value<T: Copy + Deserialize<'a>>(self, value: &OrParameter<T>) -> Result<T, String> {
        match value {
            OrParameter::Known(known) => Ok(*known),
            OrParameter::Parameter(name) => {
                let value = self.0.get(name).and_then(|value| T::deserialize(value).ok());
                value.ok_or_else(|| format!("{name} is no parameter with a value of this type"))
            }
        }
    }
}

/// Whether a parameter takes a value; the error says what it accepts.
fn accepts(kind: &ParameterKind, value: &Value) -> Result<(), String> {
    let (accepted, fits) = match kind {
        ParameterKind::Integer { min, max } => (
            format!("a whole number from {min} to {max}"),
            whole(value).is_some_and(|number| (*min..=*max).contains(&number)),
        ),
        ParameterKind::Int64 { min, max } => {
            let bounds = min.parse::<i64>().ok().zip(max.parse::<i64>().ok());
            let number = value.as_str().and_then(|digits| digits.parse().ok());
            let fits = bounds.zip(number).is_some_and(|((min, max), number)| (min..=max).contains(&number));
            (format!("a decimal integer from {min} to {max}, as a string"), fits)
        }
        ParameterKind::Number { min, max } => (
            format!("a number from {min} to {max}"),
            value.as_f64().is_some_and(|number| (*min..=*max).contains(&number)),
        ),
        ParameterKind::Boolean => ("true or false".to_owned(), value.is_boolean()),
        ParameterKind::Choice { options } => (
            format!("one of {}", options.join(", ")),
            value.as_str().is_some_and(|text| options.iter().any(|option| option == text)),
        ),
    };
    if fits { Ok(()) } else { Err(accepted) }
}

/// A whole number; 4.0 is one.
fn whole(value: &Value) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT_MAX)?;
    Some(number as i64)
}
