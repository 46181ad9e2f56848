//! The program `forgetful-disk`: a file system that forgets what was not flushed when its power is cut.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod answers;
#[cfg(target_os = "linux")]
mod complain;
#[cfg(target_os = "linux")]
mod content;
#[cfg(target_os = "linux")]
mod directory;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod history;
#[cfg(target_os = "linux")]
mod mount;
#[cfg(target_os = "linux")]
mod names;
#[cfg(target_os = "linux")]
mod protocol;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod spans;
#[cfg(target_os = "linux")]
mod surface;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    guard::run(std::env::args_os().skip(1).collect())
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    use std::io::Write;

    let _unheard = writeln!(std::io::stderr(), "forgetful-disk: FUSE is needed, which only Linux has");
    ExitCode::from(2)
}
