//! Storage engines inside the native load client's process, and their control plane for systems without a package for
//! Node. See `docs/engines.md`.

pub mod control;
pub mod engine;
pub mod engines;
pub mod execute;
pub mod plan;
pub mod program;
pub mod rows;
pub mod session;

use std::process::ExitCode;

use fair_bench_load_client::program::speak_protocol;

use crate::engine::Engine;

/// The program of one engine, all that its `main` calls: without arguments the load client, whose one protocol is the engine's
/// name; with `control` the control plane.
#[must_use]
pub fn run<E: Engine>(name: &str) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["control"] {
        control::serve::<E>();
        return ExitCode::SUCCESS;
    }
    speak_protocol(&format!("engine-{name}"), &[(name, session::connector::<E>)], &arguments)
}
