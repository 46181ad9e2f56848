//! The program `native`: the load-client protocol, and the subcommands for use by hand.

use std::process::ExitCode;

use fair_bench_load_client::{cli, engine, protocol};

fn main() -> ExitCode {
    engine::tell_panics_as_reasons();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = match arguments.first().map(String::as_str) {
        None => protocol::speak_protocol(&arguments),
        Some(first) if first == "--plan" || first.starts_with("--plan=") => {
            protocol::speak_protocol(&arguments)
        }
        Some(_) => cli::run(&arguments),
    };
    ExitCode::from(code)
}
