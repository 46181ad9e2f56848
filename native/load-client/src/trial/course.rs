//! What a trial needs of its process, and how it went.

use std::time::SystemTime;

use crate::clock::{Nanos, from_ms};
use crate::engine::Inbox;
use crate::output::TrialEvent;
use crate::process::CpuUs;

/// How far in the future an agreed time must lie, so that all threads hear of it before.
pub(super) const LEAD: Nanos = from_ms(50);

/// What a trial needs of its process.
pub struct Context<'a> {
    /// Called with each event as it happens.
    pub emit: &'a dyn Fn(TrialEvent),
    /// Commands after the plan arrive there, and a `stop` ends the window early.
    pub inbox: &'a Inbox,
}

/// The course of a trial; times of the clock.
pub(super) struct Course {
    pub(super) started_at: SystemTime,
    pub(super) start: Nanos,
    pub(super) window: MeasuredWindow,
    pub(super) rss_bytes_max: u64,
}

/// When the ordered window begins, and how long it lasts.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) from: Nanos,
    pub(super) length: Nanos,
}

/// The window's true bounds and what was used within them.
pub(super) struct MeasuredWindow {
    pub(super) stopped: bool,
    pub(super) from: Nanos,
    pub(super) until: Nanos,
    pub(super) cpu: CpuUs,
}
