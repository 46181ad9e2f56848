//! Reports phases and, once a second, progress; also samples the process's memory.

use crate::clock::{NEVER, Nanos, SECOND, now, to_ms};
use crate::counts::KindCounts;
use crate::output::{Phase, TrialEvent};
use crate::process::resident_bytes;

pub(super) struct Progress<'a> {
    emit: &'a dyn Fn(TrialEvent),
    phase: Phase,
    phase_start: Nanos,
    next_tick: Nanos,
    before: KindCounts,
    rss_bytes_max: u64,
}

impl<'a> Progress<'a> {
    pub(super) fn new(emit: &'a dyn Fn(TrialEvent)) -> Self {
        let before = KindCounts::default();
        Self { emit, phase: Phase::Warmup, phase_start: 0, next_tick: NEVER, before, rss_bytes_max: 0 }
    }

    pub(super) fn enter(&mut self, phase: Phase, counts: KindCounts) {
        self.phase = phase;
        self.phase_start = now();
        self.next_tick = self.phase_start + SECOND;
        self.before = counts;
        self.sample_memory();
        (self.emit)(TrialEvent::Phase { phase });
    }

    pub(super) const fn next_tick(&self) -> Nanos {
        self.next_tick
    }

    /// Reports progress when it is due.
    pub(super) fn tick(&mut self, counts: impl FnOnce() -> KindCounts) {
        let time = now();
        if time < self.next_tick {
            return;
        }
        self.sample_memory();
        let counts = counts();
        let since = KindCounts {
            applied: counts.applied - self.before.applied,
            declined: counts.declined - self.before.declined,
            faults: counts.faults - self.before.faults,
        };
        let elapsed_ms = to_ms(time - self.phase_start);
        (self.emit)(TrialEvent::Progress { phase: self.phase, elapsed_ms, counts: since });
        self.next_tick += SECOND;
    }

    pub(super) fn rss_bytes_max(&mut self) -> u64 {
        self.sample_memory();
        self.rss_bytes_max
    }

    fn sample_memory(&mut self) {
        self.rss_bytes_max = self.rss_bytes_max.max(resident_bytes());
    }
}
