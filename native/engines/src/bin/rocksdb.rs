//! The program of one engine.

use std::process::ExitCode;

use fair_bench_engines::engines::rocksdb::RocksDb;
use fair_bench_engines::run;

fn main() -> ExitCode {
    run::<RocksDb>("rocksdb")
}
