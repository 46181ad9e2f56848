//! Wakes a load thread at a time of its clock. The runtime's own timers are up to a millisecond late, as much as an operation
//! takes; those of Linux are not.

use std::io;
use std::os::fd::AsFd as _;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::net::unix::pipe::Receiver;

use crate::clock::{Nanos, on_machine};

pub(super) struct Alarm {
    timer: TimerFd,
    /// The same timer for the runtime, which reads it as it reads a pipe.
    rings: Receiver,
}

impl Alarm {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        let rings = Receiver::from_owned_fd_unchecked(timer.as_fd().try_clone_to_owned()?)?;
        Ok(Self { timer, rings })
    }

    /// Resolves when it is time. The last call counts: dropped ones leave nothing behind.
    pub(super) async fn at(&self, time: Nanos) -> io::Result<()> {
        let at = Expiration::OneShot(TimeSpec::from_duration(on_machine(time)));
        self.timer.set(at, TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
        loop {
            self.rings.readable().await?;
            match self.rings.try_read(&mut [0; 8]) {
                // The thread was woken for an earlier time.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                rung => return rung.map(|_| ()),
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/alarm.rs"]
mod tests;
