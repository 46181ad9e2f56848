//! The program of one engine.

use std::process::ExitCode;

use fair_bench_engines::engines::redb::Redb;
use fair_bench_engines::run;

fn main() -> ExitCode {
    run::<Redb>("redb")
}
