//! Knows which sessions have no connection. Used only after faults: the normal path never comes here.

use crate::clock::{MS, Nanos};
use crate::outcome::{FaultCode, Outcome, Verdict};

const PAUSE_FIRST: Nanos = 10 * MS;
const PAUSE_MAX: Nanos = 500 * MS;

/// The loop's state of one session.
#[derive(Default)]
pub(super) struct SessionHealth {
    /// Whether it has had a fault of a dead session since it last worked.
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

    /// Records an outcome; returns the slot's pause: 0, or 10, 20, 40 … 500 ms after faults in a row, whatever their code.
    pub(super) fn observe(
        &mut self,
        session: &mut SessionHealth,
        failures: &mut u32,
        outcome: &Outcome,
    ) -> (Nanos, News) {
        if let Verdict::Fault(fault) = &outcome.verdict {
            *failures += 1;
            let doublings = (*failures - 1).min(16);
            let pause = (PAUSE_FIRST << doublings).min(PAUSE_MAX);
            if !fault.code.is_of_dead_session() {
                return (pause, News::Nothing);
            }
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
            return (pause, news);
        }
        *failures = 0;
        if session.failing {
            session.failing = false;
            self.working += 1;
            if self.working == 1 {
                return (0, News::Recovered);
            }
        }
        (0, News::Nothing)
    }
}
