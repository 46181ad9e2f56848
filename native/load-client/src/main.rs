//! The program `native`: a trial plan in, events and one trial result out, and nothing else.

use std::process::ExitCode;

use fair_bench_load_client::program::speak_protocol;
use fair_bench_load_client::sessions::PROTOCOLS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    speak_protocol("native", PROTOCOLS, &arguments)
}
