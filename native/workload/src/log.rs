//! Section 10: what cannot be drawn again. An operation that was applied, has no times and returns nothing costs a
//! counter.

use crate::values::Values;

/// What the logs of one thread may take.
pub const LOG_BYTES_MAX: usize = 256 << 20;
const MAGIC: &[u8; 4] = b"FBOL";
const VERSION: u32 = 1;
const NANOS_PER_US: u64 = 1000;
/// A time that never came.
const NEVER_US: u32 = u32::MAX;

/// What became of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// It happened.
    Applied,
    /// Declined for the reason of this number.
    Declined(u16),
    /// A fault that changed nothing, by its place in the contract's `faultCodes`.
    Fault(u8),
    /// A fault after which the operation may have been applied.
    InDoubt(u8),
}

/// The outcome log of the sessions of one thread.
pub struct Log {
    sessions: u32,
    /// By operation: whether its times are logged.
    timed: Box<[bool]>,
    words_left: usize,
    overflowed: bool,
    logs: Vec<SessionLog>,
}

struct SessionLog {
    session: u32,
    drawn: u32,
    exceptions: Vec<u32>,
    /// Sent and settled by sequence.
    times: Vec<u32>,
}

impl Log {
    /// Of the sessions `first` … `first + count − 1` of a trial of so many sessions.
    #[must_use]
    pub fn new(workload: &crate::Workload, (first, count): (u32, u32), sessions: u32) -> Self {
        let log = |session| SessionLog { session, drawn: 0, exceptions: Vec::new(), times: Vec::new() };
        Self {
            sessions,
            timed: workload.operations.iter().map(|operation| operation.timed).collect(),
            words_left: LOG_BYTES_MAX / 4,
            overflowed: false,
            logs: (first..first + count).map(log).collect(),
        }
    }

    /// Counts an operation that was drawn by the thread's session of this place.
    #[inline]
    pub fn drawn(&mut self, session: usize) {
        self.logs[session].drawn += 1;
    }

    /// Notes what became of an operation; it was sent and settled so many nanoseconds after the trial's beginning.
    #[inline]
    pub fn settled(&mut self, session: usize, values: &Values, logged: Logged, times: [u64; 2]) {
        let Values { operation, sequence, .. } = *values;
        if self.timed[operation as usize] {
            // Rounded outwards, so that what is logged covers what was.
            let micros = |time: u64| u32::try_from(time).unwrap_or(NEVER_US - 1);
            let [sent, settled] = times;
            let in_doubt = matches!(logged, Logged::InDoubt(_));
            let settled = if in_doubt { NEVER_US } else { micros(settled.div_ceil(NANOS_PER_US)) };
            self.time(session, sequence as usize, (micros(sent / NANOS_PER_US), settled));
        }
        let (kind, code) = match logged {
            Logged::Applied => return,
            Logged::Declined(reason) => (0, u32::from(reason)),
            Logged::Fault(code) => (1, u32::from(code)),
            Logged::InDoubt(code) => (2, u32::from(code)),
        };
        if self.take(2) {
            self.logs[session].exceptions.extend([sequence, operation << 16 | kind << 8 | code]);
        }
    }

    fn time(&mut self, session: usize, sequence: usize, (sent, settled): (u32, u32)) {
        let length = self.logs[session].times.len();
        let end = 2 * sequence + 2;
        if self.take(end.saturating_sub(length)) {
            let times = &mut self.logs[session].times;
            times.resize(length.max(end), 0);
            (times[end - 2], times[end - 1]) = (sent, settled);
        }
    }

    fn take(&mut self, words: usize) -> bool {
        let fits = words <= self.words_left;
        if fits {
            self.words_left -= words;
        } else {
            self.overflowed = true;
        }
        fits
    }

    /// The sections of its sessions.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for SessionLog { session, drawn, exceptions, times } in &self.logs {
            let blocks = [exceptions.len() as u32, times.len() as u32, 0, 0, 0];
            let (reads_of_every, mistakes, text) = (1, 0, 0);
            let overflowed = u32::from(self.overflowed);
            let header = [*session, self.sessions, *drawn, reads_of_every, overflowed, mistakes, text];
            let words = header.iter().chain(&blocks).chain(&[0]).chain(exceptions).chain(times);
            bytes.extend(words.flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }
}

/// What a log file begins with; after it come the sections of all threads.
#[must_use]
pub fn log_file_head() -> [u8; 8] {
    let mut head = [0; 8];
    head[..4].copy_from_slice(MAGIC);
    head[4..].copy_from_slice(&VERSION.to_le_bytes());
    head
}
