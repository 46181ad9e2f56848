//! Leaves the compiler's version where the trial result names it.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // `rustc 1.95.0 (59807616e 2026-04-14)` without what is in parentheses.
    let version: Vec<&str> = text.split_whitespace().take(2).collect();
    println!("cargo::rustc-env=FAIR_BENCH_RUSTC_VERSION={}", version.join(" "));
}
