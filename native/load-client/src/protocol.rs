//! The load-client protocol: without a subcommand the program does this and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::reason_of;
use crate::input::{Input, read_input};
use crate::output::{TrialEvent, one_line, write_event, write_notice};
use crate::trial::{Context, run_trial};

const DONE: u8 = 0;
const FAILED: u8 = 1;
const PLAN_REFUSED: u8 = 2;

/// A trial plan in, a trial result out; the exit code.
#[must_use]
pub fn speak_protocol(arguments: &[String]) -> u8 {
    let Input { trial, stop } = match read_input(arguments) {
        Ok(input) => input,
        Err(reason) => return fail(&reason, PLAN_REFUSED),
    };
    let context = Context { emit: &|event| write_event(&event), stop: &stop };
    let outcome = catch_unwind(AssertUnwindSafe(|| run_trial(trial, &context)));
    match outcome.unwrap_or_else(|panic| Err(reason_of(&*panic))) {
        Ok(outcome) => {
            write_event(&TrialEvent::Result(outcome.result));
            DONE
        }
        Err(reason) => fail(&reason, FAILED),
    }
}

fn fail(reason: &str, code: u8) -> u8 {
    let reason = one_line(reason);
    write_notice(&reason);
    write_event(&TrialEvent::Failed(reason));
    code
}
