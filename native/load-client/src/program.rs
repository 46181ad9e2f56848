//! The whole of a program that speaks the load-client protocol: its `main` names the protocols.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::engine::{failure_of, tell_panics_as_reasons};
use crate::error::{Error, one_line};
use crate::input::{Input, read_input};
use crate::output::{TrialEvent, write_event, write_notice};
use crate::sessions::CreateConnector;
use crate::trial::{Context, run_load};

const DONE: u8 = 0;

/// Reads a plan, carries it out and writes its events and its result.
#[must_use]
pub fn speak_protocol(name: &str, protocols: &[(&str, CreateConnector)], arguments: &[String]) -> ExitCode {
    tell_panics_as_reasons();
    ExitCode::from(speak(name, protocols, arguments))
}

fn speak(name: &str, protocols: &[(&str, CreateConnector)], arguments: &[String]) -> u8 {
    let Input { trial, inbox } = match read_input(name, protocols, arguments) {
        Ok(input) => input,
        Err(error) => return fail(&error),
    };
    let context = Context { emit: &|event| write_event(&event), inbox: &inbox };
    let result = catch_unwind(AssertUnwindSafe(|| run_load(trial, &context)));
    match result.unwrap_or_else(|panic| Err(failure_of(&*panic))) {
        Ok(result) => {
            write_event(&TrialEvent::Result { result });
            DONE
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &Error) -> u8 {
    let reason = one_line(&error.to_string());
    write_notice(&reason);
    write_event(&TrialEvent::Failed { reason });
    error.exit_code()
}
