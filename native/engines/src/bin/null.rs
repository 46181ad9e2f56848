//! The program of one engine.

use std::process::ExitCode;

use fair_bench_engines::engines::null::Null;
use fair_bench_engines::run;

fn main() -> ExitCode {
    run::<Null>("null")
}
