//! Knows which sessions have no connection. Used only after faults: the normal path never comes here.

use crate::clock::{MS, Nanos};
use crate::outcome::{FaultCode, Outcome, Verdict};

const PAUSE_FIRST: Nanos = 10 * MS;
const PAUSE_MAX: Nanos = 500 * MS;

/// The loop's state of one session.
#[derive(Default)]
pub(super) struct SessionHealth {
    /// Whether its last outcome was a fault that spins.
    pub(super) failing: bool,
}

/// What to report after an outcome.
pub(super) enum News {
    Nothing,
    /// Every session of the thread has failed.
    Lost(String),
    Recovered,
}

pub(super) struct Health {
    working: u32,
    /// The last reported fault: a different one is reported, a repeated one is not.
    lost_code: Option<FaultCode>,
}

impl Health {
    pub(super) const fn new(sessions: u32) -> Self {
        Self { working: sessions, lost_code: None }
    }

    /// Records an outcome; returns the slot's pause: 0, or 10, 20, 40 … 500 ms.
    pub(super) fn observe(
        &mut self,
        session: &mut SessionHealth,
        failures: &mut u32,
        outcome: &Outcome,
    ) -> (Nanos, News) {
        if let Verdict::Fault(fault) = &outcome.verdict
            && fault.code.spins()
        {
            *failures += 1;
            if !session.failing {
                session.failing = true;
                self.working -= 1;
                self.lost_code = None;
            }
            let mut news = News::Nothing;
            if self.working == 0 && self.lost_code != Some(fault.code) {
                self.lost_code = Some(fault.code);
                news = News::Lost(format!("{}: {}", fault.code.name(), fault.message));
            }
            let doublings = (*failures - 1).min(16);
            return ((PAUSE_FIRST << doublings).min(PAUSE_MAX), news);
        }
        *failures = 0;
        if session.failing && !matches!(outcome.verdict, Verdict::Fault(_)) {
            session.failing = false;
            self.working += 1;
            if self.working == 1 {
                return (0, News::Recovered);
            }
        }
        (0, News::Nothing)
    }
}
