//! A disk that is mounted for a test.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The exit code by which the program says that nothing can be mounted here.
const CANNOT_MOUNT: i32 = 2;

/// A mounted disk. When it is dropped, its program's stdin ends.
pub(crate) struct Mounted {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Mounted {
    /// Mounts a disk, unless that is impossible here.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let (backing, target) = (folder.path().join("backing"), folder.path().join("mount"));
        std::fs::create_dir(&backing).unwrap();
        std::fs::create_dir(&target).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_forgetful-disk"))
            .args([&backing, &target])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let mut events = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        events.read_line(&mut line).unwrap();
        if line.is_empty() {
            let code = child.wait().unwrap().code();
            assert_eq!(code, Some(CANNOT_MOUNT), "the program failed, and not for want of a mount");
            println!("skipped: nothing can be mounted here, and stderr says why");
            return None;
        }
        assert_eq!(line, "{\"event\":\"mounted\"}\n");
        Some(Self { child, stdin, events, folder })
    }

    /// The folder that is mounted.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    /// A file's path on the disk.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Sends a line and waits for its event.
    pub(crate) fn send(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut event = String::new();
        self.events.read_line(&mut event).unwrap();
        serde_json::from_str(&event).unwrap()
    }

    /// Lets everything be durable.
    pub(crate) fn settle(&mut self) {
        assert_eq!(self.send(r#"{"command":"settle"}"#)["event"], "settled");
    }

    /// Cuts the power, and answers the files, bytes and names that it changed.
    pub(crate) fn cut(&mut self) -> [u64; 3] {
        let event = self.send(r#"{"command":"cut"}"#);
        assert_eq!(event["event"], "cut", "{event}");
        ["files", "bytes", "names"].map(|field| event[field].as_u64().unwrap())
    }

    /// What a number of the stats is.
    pub(crate) fn stat(&mut self, field: &str) -> u64 {
        self.send(r#"{"command":"stats"}"#)[field].as_u64().unwrap()
    }

    /// Whether something is mounted there.
    pub(crate) fn is_mounted(&self) -> bool {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let root = self.root();
        mounts.lines().any(|line| line.split(' ').nth(4) == root.to_str())
    }

    /// The process that serves the mount.
    pub(crate) fn server(&self) -> i32 {
        let guard = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{guard}/task/{guard}/children")).unwrap();
        children.trim().parse().unwrap()
    }

    /// Ends stdin.
    pub(crate) fn end(&mut self) {
        self.stdin = None;
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.end();
        let _ended = self.child.wait();
    }
}

/// Writes a whole file and flushes its content, but not its name.
pub(crate) fn write_flushed(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_data().unwrap();
}

/// Writes to a file where it ends or at its beginning, with flags of `open`.
pub(crate) fn write_with(path: &Path, append: bool, flags: i32, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).append(append).custom_flags(flags).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// Flushes a directory.
pub(crate) fn flush_directory(path: &Path) {
    File::open(path).unwrap().sync_all().unwrap();
}

/// Waits until a condition holds, which it must do soon.
pub(crate) fn soon(mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "it does not come to hold");
        std::thread::sleep(Duration::from_millis(10));
    }
}
