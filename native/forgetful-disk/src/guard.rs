//! Two processes: one serves the mount, the other waits for it and takes away a mount that nobody serves any more.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use crate::complain::complain;
use crate::{mount, serve};

/// The first argument of the serving process.
const SERVE: &str = "--serve";

/// How the program is started.
const USAGE: &str =
    "usage: forgetful-disk BACKING_DIR MOUNT_DIR (two folders that exist; BACKING_DIR is empty)";

/// The exit code if nothing can be mounted here.
const CANNOT_MOUNT: u8 = 2;

/// Serves, or guards a process that does.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let done = match arguments.as_slice() {
        [serve, backing, target] if *serve == SERVE => serve::run(Path::new(backing), Path::new(target)),
        [backing, target] => guard(backing.into(), target.into()),
        _ => Err(io::Error::other(USAGE)),
    };
    done.unwrap_or_else(|error| {
        complain(&error.to_string());
        ExitCode::from(if error.kind() == io::ErrorKind::Unsupported { CANNOT_MOUNT } else { 1 })
    })
}

fn guard(backing: PathBuf, target: PathBuf) -> io::Result<ExitCode> {
    let target = readied(&target)?;
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGCHLD] {
        signals.add(signal);
    }
    signals.thread_block()?;
    let mut child =
        std::process::Command::new("/proc/self/exe").arg(SERVE).arg(backing).arg(&target).spawn()?;
    let status = wait(&mut child, &signals);
    mount::detach_dead(&target)?;
    let status = status?;
    if let Some(signal) = status.signal() {
        complain(&format!("the serving process was ended by signal {signal}; nothing is mounted any more"));
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The folder's full path. A dead mount that was left there is taken away first.
fn readied(target: &Path) -> io::Result<PathBuf> {
    mount::detach_dead(target)?;
    let in_words = |error| io::Error::other(format!("{}: {error}", target.display()));
    target.canonicalize().map_err(in_words)
}

/// Waits for the serving process to end, and lets it end when this one is asked to.
fn wait(child: &mut Child, signals: &SigSet) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if signals.wait()? != Signal::SIGCHLD {
            // It may have ended meanwhile.
            let _ended = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
        }
    }
}
