//! The program `native`: a trial plan in, events and one trial result out, and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use fair_bench_load_client::engine::{failure_of, tell_panics_as_reasons};
use fair_bench_load_client::error::{Error, one_line};
use fair_bench_load_client::input::{Input, read_input};
use fair_bench_load_client::output::{TrialEvent, write_event, write_notice};
use fair_bench_load_client::trial::{Context, run_trial};

const DONE: u8 = 0;

fn main() -> ExitCode {
    tell_panics_as_reasons();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    ExitCode::from(speak_protocol(&arguments))
}

fn speak_protocol(arguments: &[String]) -> u8 {
    let Input { trial, inbox } = match read_input(arguments) {
        Ok(input) => input,
        Err(error) => return fail(&error),
    };
    let context = Context { emit: &|event| write_event(&event), inbox: &inbox };
    let result = catch_unwind(AssertUnwindSafe(|| run_trial(trial, &context)));
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
