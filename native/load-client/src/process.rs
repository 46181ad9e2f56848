//! The system's figures of this process, and its limits.

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::time::TimeValLike as _;
use nix::time::{ClockId, clock_gettime};

use crate::clock::Nanos;
use crate::error::{Error, Result};

/// CPU time in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuUs {
    /// In the program.
    pub user: i64,
    /// In the kernel for it.
    pub system: i64,
}

/// CPU time of the whole process so far.
#[must_use]
pub fn cpu() -> CpuUs {
    getrusage(UsageWho::RUSAGE_SELF).map_or_else(
        |_| CpuUs::default(),
        |usage| CpuUs {
            user: usage.user_time().num_microseconds(),
            system: usage.system_time().num_microseconds(),
        },
    )
}

/// How long the calling thread has been on a processor.
#[must_use]
pub fn thread_cpu() -> Nanos {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map_or(0, |time| Nanos::try_from(time.num_nanoseconds()).unwrap_or(0))
}

/// Resident memory now; where the system does not report it, the maximum so far.
#[must_use]
pub fn resident_bytes() -> u64 {
    resident_pages().map_or_else(resident_bytes_max, |pages| pages * page_bytes())
}

fn resident_pages() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse().ok()
}

fn page_bytes() -> u64 {
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    page.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(4096)
}

fn resident_bytes_max() -> u64 {
    // In bytes on Apple's systems, in KiB elsewhere.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * unit)
}

/// Files besides the sockets: standard streams, the runtimes' own, the log.
const FILES_BESIDE: u64 = 128;

/// Raises the limit of open files so that `sessions` sockets fit.
///
/// # Errors
/// When the system's own limit is below; it names the limit.
pub fn make_room_for_sockets(sessions: u32) -> Result<()> {
    let wanted = u64::from(sessions) + FILES_BESIDE;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|error| Error::Limit(format!("the limit of open files cannot be read: {error}")))?;
    if soft >= wanted {
        return Ok(());
    }
    let low = |why: &str| {
        Error::Limit(format!(
            "{sessions} sessions need {wanted} open files, and this process may have {soft} (hard limit {hard}){why}; \
             raise it (ulimit -n), or use fewer sessions"
        ))
    };
    if hard < wanted {
        return Err(low(""));
    }
    setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).map_err(|error| low(&format!(": {error}")))
}
