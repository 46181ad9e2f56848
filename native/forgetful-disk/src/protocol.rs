//! The protocol: a command in each line of stdin, an event in each line of stdout.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// What a line of stdin asks for.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum Command {
    /// Everything that is there is durable from now on.
    Settle,
    /// The power fails, and comes back.
    Cut,
    /// No space is left.
    Full,
    /// There is space again.
    Free,
    /// Each flush waits so much more.
    Slow { flush_ms: u64 },
    /// What has been flushed, and what a cut would change.
    Stats,
}

/// What a line of stdout tells.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Event {
    Mounted,
    Settled,
    Cut { files: u64, bytes: u64, names: usize },
    Full,
    Free,
    Slow,
    Stats { flushes: u64, directory_flushes: u64, unflushed_bytes: u64, unflushed_names: usize },
    Failed { reason: String },
}

impl Event {
    /// Writes the event's line.
    pub(crate) fn tell(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_to_the_letter() {
        let read = |line| serde_json::from_str::<Command>(line).ok();
        assert_eq!(read(r#"{"command":"cut"}"#), Some(Command::Cut));
        assert_eq!(read(r#"{"command":"slow","flushMs":5}"#), Some(Command::Slow { flush_ms: 5 }));
        assert_eq!(read(r#"{"command":"slow"}"#), None);
        assert_eq!(read(r#"{"command":"burn"}"#), None);
    }

    #[test]
    fn events_are_written_to_the_letter() {
        let stats = Event::Stats { flushes: 1, directory_flushes: 2, unflushed_bytes: 3, unflushed_names: 4 };
        assert_eq!(
            serde_json::to_string(&stats).unwrap(),
            r#"{"event":"stats","flushes":1,"directoryFlushes":2,"unflushedBytes":3,"unflushedNames":4}"#
        );
    }
}
