//! The program of one engine.

use std::process::ExitCode;

use fair_bench_engines::engines::lmdb::Lmdb;
use fair_bench_engines::run;

fn main() -> ExitCode {
    run::<Lmdb>("lmdb")
}
