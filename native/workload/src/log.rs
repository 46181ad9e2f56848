//! Section 10: everything that cannot be drawn again. An applied operation without times or a reply costs one
//! counter.

use std::sync::Arc;

use crate::check::{Handling, Replies, class_of};
use crate::kept::KeptReplies;
use crate::reply::{ABSENT, Reply};
use crate::values::Values;
use crate::workload::{Operation, Returns, Table, Timed};

/// The maximal size of one load client's logs, shared equally by its threads.
pub const LOG_BYTES_MAX: usize = 256 << 20;
const MAGIC: &[u8; 4] = b"FBOL";
const VERSION: u32 = 1;
const NANOS_PER_US: u64 = 1000;
/// This many invalid replies are described in words.
const MISTAKES_MAX: usize = 5;
/// An applied operation that returned a changed row has this kind among the exceptions.
const CHANGE_SEEN: u32 = 3;
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
    replies: Arc<Replies>,
    words_max: usize,
    words_left: usize,
    /// One in this many rows has its reads logged: 1, 2, 4, or 0 for none.
    reads_of_every: u32,
    overflowed: bool,
    logs: Vec<SessionLog>,
}

#[derive(Default)]
struct SessionLog {
    session: u32,
    drawn: u32,
    exceptions: Vec<u32>,
    /// Sent and settled by sequence.
    times: Vec<u32>,
    /// By the class of their row.
    reads: [Vec<u32>; 3],
    scans: [Vec<u32>; 3],
    fields: Vec<u32>,
    kept: KeptReplies,
    mistakes_count: u32,
    mistakes: Vec<String>,
}

impl Log {
    /// Of the sessions `first` … `first + count − 1` of a trial of so many sessions; it takes at most so many bytes.
    #[must_use]
    pub fn new(replies: &Arc<Replies>, (first, count): (u32, u32), sessions: u32, bytes_max: usize) -> Self {
        let log = |session| SessionLog { session, kept: replies.kept().initial(), ..SessionLog::default() };
        Self {
            sessions,
            replies: Arc::clone(replies),
            words_max: bytes_max / 4,
            words_left: bytes_max / 4,
            reads_of_every: 1,
            overflowed: false,
            logs: (first..first + count).map(log).collect(),
        }
    }

    /// Counts an operation drawn by the thread's session of this place, and writes those of its arguments that earlier replies
    /// have.
    #[inline]
    pub fn drawn(&mut self, session: usize, values: &mut Values) {
        let SessionLog { drawn, kept, .. } = &mut self.logs[session];
        kept.fill(self.replies.kept(), values);
        *drawn += 1;
    }

    /// Records the outcome of an operation, sent and settled this many nanoseconds after the trial's beginning.
    #[inline]
    pub fn settled(
        &mut self,
        session: usize,
        values: &Values,
        (logged, reply): (Logged, Option<&Reply>),
        times: [u64; 2],
    ) {
        let Values { operation, sequence, .. } = *values;
        let timed = self.is_timed(self.replies.handling(operation).timed, session, sequence as usize);
        if timed {
            // Rounded outwards, so that the logged interval covers the real one.
            let micros = |time: u64| u32::try_from(time).unwrap_or(NEVER_US - 1);
            let [sent, settled] = times;
            let in_doubt = matches!(logged, Logged::InDoubt(_));
            let settled = if in_doubt { NEVER_US } else { micros(settled.div_ceil(NANOS_PER_US)) };
            self.time(session, sequence as usize, (micros(sent / NANOS_PER_US), settled));
        }
        let (kind, code) = match logged {
            Logged::Applied => {
                return reply.map_or((), |reply| self.replied((session, timed), values, reply));
            }
            Logged::Declined(reason) => (0, u32::from(reason)),
            Logged::Fault(code) => (1, u32::from(code)),
            Logged::InDoubt(code) => (2, u32::from(code)),
        };
        self.except(session, sequence, operation << 16 | kind << 8 | code);
    }

    fn except(&mut self, session: usize, sequence: u32, word: u32) {
        if self.take(2) {
            self.logs[session].exceptions.extend([sequence, word]);
        }
    }

    fn is_timed(&self, timed: Timed, session: usize, sequence: usize) -> bool {
        match timed {
            Timed::Always => true,
            Timed::WhileRoom => {
                let more = (2 * sequence + 2).saturating_sub(self.logs[session].times.len());
                self.words_left >= more + self.words_max / 2
            }
            Timed::Never => false,
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

    #[inline(never)]
    fn replied(&mut self, (session, timed): (usize, bool), values: &Values, reply: &Reply) {
        if let Some(mistake) = self.replies.mistake(values, reply) {
            let SessionLog { session, mistakes_count, mistakes, .. } = &mut self.logs[session];
            *mistakes_count += 1;
            if mistakes.len() < MISTAKES_MAX {
                mistakes.push(format!("session {session}, operation {}: {mistake}", values.sequence));
            }
            return;
        }
        if timed && self.replies.returns_change(values, reply) {
            self.except(session, values.sequence, values.operation << 16 | CHANGE_SEEN << 8);
        }
        let Handling { takes, follows, .. } = self.replies.handling(values.operation);
        if takes || follows {
            self.followed((session, takes, follows), values, reply);
        }
    }

    /// Logs what the arguments were taken from and what came back.
    fn followed(&mut self, (session, takes, follows): (usize, bool, bool), values: &Values, reply: &Reply) {
        let replies = Arc::clone(&self.replies);
        if takes {
            self.taken(session, values, &replies);
        }
        if !follows {
            return;
        }
        let operation = &replies.workload().operations[values.operation as usize];
        if let Returns::Fields { .. } | Returns::Records { .. } = operation.returns {
            self.logs[session].kept.note(replies.kept(), values, reply);
            return self.fields(session, values.sequence, reply, operation);
        }
        let Some(table) = operation.returns.table() else { return };
        let class = class_of(&operation.returns, values);
        if !self.keeps(class) {
            return;
        }
        match operation.returns {
            Returns::Row { .. } => self.read((session, class), values.sequence, table, reply),
            Returns::Scan { .. } => self.scan((session, class), values.sequence, table, reply),
            Returns::Nothing
            | Returns::Fields { .. }
            | Returns::Records { .. }
            | Returns::ChosenRows { .. } => {}
        }
    }

    fn read(&mut self, (session, class): (usize, usize), sequence: u32, table: usize, reply: &Reply) {
        let row = reply.rows().next();
        let version = row.map_or(ABSENT, |row| self.replies.version(table, row, reply, sequence as usize));
        // The value −1 looks like a missing row: such a read is not logged.
        if (row.is_none() || version != ABSENT) && self.take_read(class, 3) {
            let [high, low] = words_of(version);
            self.logs[session].reads[class].extend([sequence, high, low]);
        }
    }

    /// The rows of a scan with their keys.
    fn scan(&mut self, (session, class): (usize, usize), sequence: u32, table: usize, reply: &Reply) {
        let Table { key_columns: key, columns, .. } = &self.replies.workload().tables[table];
        let (key, rows) = (*key, reply.rows());
        let mut entry = vec![sequence, (rows.len() * (2 + 2 * key)) as u32];
        for (turn, row) in (sequence as usize..).zip(rows) {
            let keys = columns.iter().zip(row).take(key);
            entry.extend(keys.flat_map(|(column, word)| words_of(reply.version(column.kind, *word))));
            entry.extend(words_of(self.replies.version(table, row, reply, turn)));
        }
        if self.take_read(class, entry.len()) {
            self.logs[session].scans[class].extend(entry);
        }
    }

    /// Returned fields are audited: they are never thinned out.
    fn fields(&mut self, session: usize, sequence: u32, reply: &Reply, operation: &Operation) {
        let kinds = &operation.columns;
        let words = 2 * kinds.len() * reply.count();
        if self.take(2 + words) {
            let block = &mut self.logs[session].fields;
            block.extend([sequence, words as u32]);
            for (word, kind) in reply.rows().flatten().zip(kinds.iter().cycle()) {
                block.extend(words_of(reply.version(*kind, *word)));
            }
        }
    }

    /// Neither are the arguments that it took from earlier ones.
    fn taken(&mut self, session: usize, values: &Values, replies: &Replies) {
        let taken = replies.kept().taken(values);
        let words = 2 * taken.len();
        if self.take(2 + words) {
            let block = &mut self.logs[session].fields;
            block.extend([values.sequence, words as u32]);
            block.extend(taken.flat_map(words_of));
        }
    }

    /// Whether reads of a class are still logged.
    const fn keeps(&self, class: usize) -> bool {
        matches!((self.reads_of_every, class), (1, _) | (2, 0 | 1) | (4, 0))
    }

    /// Room for a read; whole classes of reads are dropped before it is refused.
    fn take_read(&mut self, class: usize, words: usize) -> bool {
        self.make_room(words) && self.keeps(class) && self.take(words)
    }

    fn take(&mut self, words: usize) -> bool {
        let fits = self.make_room(words);
        if fits {
            self.words_left -= words;
        } else {
            self.overflowed = true;
        }
        fits
    }

    fn make_room(&mut self, words: usize) -> bool {
        while words > self.words_left {
            let class = match self.reads_of_every {
                1 => 2,
                2 => 1,
                4 => 0,
                _ => return false,
            };
            self.reads_of_every = [0, 4, 2][class];
            for log in &mut self.logs {
                for dropped in [&mut log.reads[class], &mut log.scans[class]] {
                    self.words_left += dropped.len();
                    *dropped = Vec::new();
                }
            }
        }
        true
    }

    /// The sections of its sessions.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for log in &self.logs {
            let SessionLog { session, drawn, exceptions, times, reads, scans, fields, .. } = log;
            let mut text = log.mistakes.join("\n").into_bytes();
            let overflowed = u32::from(self.overflowed);
            let head = [*session, self.sessions, *drawn, self.reads_of_every, overflowed];
            let counts = [log.mistakes_count, text.len() as u32];
            let lengths = [exceptions.len(), times.len(), total(reads), total(scans), fields.len(), 0];
            let header = head.into_iter().chain(counts).chain(lengths.map(|words| words as u32));
            bytes.extend(header.flat_map(u32::to_le_bytes));
            text.resize(text.len().next_multiple_of(4), 0);
            bytes.extend_from_slice(&text);
            let blocks = [exceptions, times].into_iter().chain(reads).chain(scans).chain([fields]);
            bytes.extend(blocks.flatten().flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }
}

/// The beginning of a log file; the sections of all threads follow.
#[must_use]
pub fn log_file_head() -> [u8; 8] {
    let mut head = [0; 8];
    head[..4].copy_from_slice(MAGIC);
    head[4..].copy_from_slice(&VERSION.to_le_bytes());
    head
}

fn total(classes: &[Vec<u32>; 3]) -> usize {
    classes.iter().map(Vec::len).sum()
}

/// High, low.
const fn words_of(version: u64) -> [u32; 2] {
    [(version >> 32) as u32, version as u32]
}
