//! Reads objects of JSON strictly: each field by name, with its path in every message; unknown fields are
//! wrong. All mistakes are reported, not just the first.

use serde_json::{Map, Value};

/// An object that is being read.
pub(crate) struct Fields<'a> {
    path: String,
    object: &'a Map<String, Value>,
    known: Vec<&'static str>,
    wrong: Vec<String>,
}

/// 2⁵³ − 1: the largest whole number that the twin holds exactly.
const WHOLE_MAX: u64 = (1 << 53) - 1;

impl<'a> Fields<'a> {
    /// # Errors
    /// When the value is no object.
    pub(crate) fn of(value: &'a Value, path: &str) -> Result<Self, String> {
        match value {
            Value::Object(object) => {
                Ok(Self { path: path.to_owned(), object, known: Vec::new(), wrong: Vec::new() })
            }
            _ => Err(format!("{path}: expected an object, got {}", excerpt(value))),
        }
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &'static str, accepts: &str, valid: fn(&str) -> bool) -> String {
        let text = self.get(name).and_then(Value::as_str).filter(|text| valid(text));
        self.expect(name, accepts, text.map(str::to_owned))
    }

    /// A string or null.
    pub(crate) fn text_or_null(&mut self, name: &'static str) -> Option<String> {
        let value = match self.get(name) {
            Some(Value::Null) => Some(None),
            Some(Value::String(text)) => Some(Some(text.clone())),
            _ => None,
        };
        self.expect(name, "a string or null", value)
    }

    /// A whole number from `min` to `max`; 4.0 is one.
    pub(crate) fn whole(&mut self, name: &'static str, min: u64, max: Option<u64>) -> u64 {
        let bound = max.unwrap_or(WHOLE_MAX);
        let number = self.get(name).and_then(Value::as_f64);
        let fits = |number: &f64| number.fract() == 0.0 && *number >= min as f64 && *number <= bound as f64;
        let accepts = match max {
            Some(max) => format!("a whole number from {min} to {max}"),
            None => format!("a whole number of at least {min}"),
        };
        self.expect(name, &accepts, number.filter(fits).map(|number| number as u64))
    }

    /// A number of at least `min`.
    pub(crate) fn least(&mut self, name: &'static str, min: f64) -> f64 {
        let number = self.get(name).and_then(Value::as_f64).filter(|number| *number >= min);
        self.expect(name, &format!("a number of at least {min}"), number)
    }

    /// True or false.
    pub(crate) fn truth(&mut self, name: &'static str) -> bool {
        let truth = self.get(name).and_then(Value::as_bool);
        self.expect(name, "true or false", truth)
    }

    /// A number above 0.
    pub(crate) fn positive(&mut self, name: &'static str) -> f64 {
        let number = self.get(name).and_then(Value::as_f64).filter(|number| *number > 0.0);
        self.expect(name, "a number above 0", number)
    }

    /// An object of any content.
    pub(crate) fn object(&mut self, name: &'static str) -> Map<String, Value> {
        let object = self.get(name).and_then(Value::as_object).cloned();
        self.expect(name, "an object", object)
    }

    /// An object that `read` reads; what is wrong in it counts as wrong here.
    pub(crate) fn nested<T: Default>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> T {
        let path = format!("{}.{name}", self.path);
        let Some(value) = self.get(name) else { return self.expect(name, "an object", None) };
        let result = Fields::of(value, &path).and_then(|mut fields| {
            let read = read(&mut fields);
            fields.finish(read)
        });
        result.unwrap_or_else(|wrong| {
            self.wrong.push(wrong);
            T::default()
        })
    }

    /// The same, or null.
    pub(crate) fn nested_or_null<T: Default>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Option<T> {
        if self.object.get(name).is_some_and(Value::is_null) {
            self.known.push(name);
            return None;
        }
        Some(self.nested(name, read))
    }

    /// An array of any content.
    pub(crate) fn array(&mut self, name: &'static str) -> Vec<Value> {
        let array = self.get(name).and_then(Value::as_array).cloned();
        self.expect(name, "an array", array)
    }

    /// Notes that a field is not what it should be.
    pub(crate) fn refuse(&mut self, name: &'static str, accepts: &str) {
        let got = self.object.get(name).map_or_else(|| "nothing".to_owned(), excerpt);
        self.wrong.push(format!("{}.{name}: expected {accepts}, got {got}", self.path));
    }

    /// The value, if nothing was wrong and no field is left over.
    ///
    /// # Errors
    /// All that was wrong, on one line.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, String> {
        for name in self.object.keys().filter(|name| !self.known.contains(&name.as_str())) {
            let shown = excerpt(&Value::String(name.clone()));
            let known = self.known.join(", ");
            self.wrong.push(format!("{}: there is no field {shown}; there are {known}", self.path));
        }
        if self.wrong.is_empty() { Ok(value) } else { Err(self.wrong.join("; ")) }
    }

    fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.object.get(name)
    }

    fn expect<T: Default>(&mut self, name: &'static str, accepts: &str, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.refuse(name, accepts);
            T::default()
        })
    }
}

/// A value as it may stand in a message: on one line, and short.
#[must_use]
pub(crate) fn excerpt(value: &Value) -> String {
    const CHARACTERS_MAX: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= CHARACTERS_MAX {
        return text;
    }
    text.chars().take(CHARACTERS_MAX).chain(['…']).collect()
}
