//! A panic fails the trial with what it said and where.

use std::any::Any;
use std::sync::Mutex;

use crate::error::Error;

static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// Reports a panic once, as the reason for the missing result, without the runtime's own lines.
pub fn tell_panics_as_reasons() {
    std::panic::set_hook(Box::new(|panic| {
        if let (Ok(mut at), Some(location)) = (PANICKED_AT.lock(), panic.location()) {
            *at = Some(location.to_string());
        }
    }));
}

/// A panic's message and place.
#[must_use]
pub fn failure_of(panic: &(dyn Any + Send)) -> Error {
    let at = PANICKED_AT.lock().ok().and_then(|at| at.clone()).unwrap_or_default();
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a reason");
    Error::Panic(format!("{said} {at}").trim_end().to_owned())
}
