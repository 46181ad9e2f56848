//! The program by hand: `native seed` and `native bench`.

mod arguments;
mod bench;
pub(crate) mod database;
mod seed;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::output::write_error_line;
use arguments::{Arguments, Subcommand};

const FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;

/// Carries out a subcommand; the exit code. Bad input is one line on standard error.
#[must_use]
pub fn run(arguments: &[String]) -> u8 {
    let program = std::iter::once("native".to_owned());
    let parsed = match Arguments::try_parse_from(program.chain(arguments.iter().cloned())) {
        Ok(parsed) => parsed,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            print(&error.to_string());
            return 0;
        }
        Err(error) => {
            write_error_line(&bad_input(&error.to_string()));
            return BAD_INPUT;
        }
    };
    let result = match parsed.subcommand {
        Subcommand::Seed(arguments) => seed::seed(&arguments),
        Subcommand::Bench(arguments) => bench::bench(&arguments),
    };
    match result {
        Ok(text) => {
            print(&text);
            0
        }
        Err(Failure::BadInput(reason)) => {
            write_error_line(&format!("native: {reason}"));
            BAD_INPUT
        }
        Err(Failure::Failed(reason)) => {
            write_error_line(&format!("native: {reason}"));
            FAILED
        }
    }
}

/// Why a subcommand has no result.
pub(crate) enum Failure {
    BadInput(String),
    Failed(String),
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

/// What is wrong and with which option: the first paragraph of what the parser says.
fn bad_input(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    format!("native: {first}; see native --help")
}

fn print(text: &str) {
    use std::io::Write as _;
    let mut output = std::io::stdout().lock();
    // Whoever closed standard output wants no more of it.
    let _unread = writeln!(output, "{}", text.trim_end()).and_then(|()| output.flush());
}
