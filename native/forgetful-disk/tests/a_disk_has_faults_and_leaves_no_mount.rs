//! A full disk, a slow disk, and what is left when the program ends.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

mod support;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Mounted, flush_directory, soon, write_with};

fn refused<T>(result: io::Result<T>) -> ErrorKind {
    result.err().expect("it needs space").kind()
}

#[test]
fn a_full_disk_takes_only_what_needs_no_space() {
    let Some(mut disk) = Mounted::new() else { return };
    fs::write(disk.at("file"), [1; 8192]).unwrap();
    assert_eq!(disk.send(r#"{"command":"full"}"#)["event"], "full");
    let mut file = OpenOptions::new().append(true).open(disk.at("file")).unwrap();
    assert_eq!(refused(file.write_all(&[2; 4096])), ErrorKind::StorageFull);
    assert_eq!(refused(file.set_len(100_000)), ErrorKind::StorageFull);
    assert_eq!(refused(File::create(disk.at("other"))), ErrorKind::StorageFull);
    assert_eq!(refused(fs::create_dir(disk.at("folder"))), ErrorKind::StorageFull);
    assert_eq!(nix::sys::statvfs::statvfs(&disk.root()).unwrap().blocks_available(), 0);
    write_with(&disk.at("file"), false, 0, &[3; 8192]);
    assert_eq!(disk.send(r#"{"command":"free"}"#)["event"], "free");
    file.write_all(&[2; 4096]).unwrap();
    fs::write(disk.at("other"), b"content").unwrap();
    assert_eq!(fs::metadata(disk.at("file")).unwrap().len(), 3 * 4096);
}

#[test]
fn a_slow_flush_holds_up_nobody_else() {
    let Some(mut disk) = Mounted::new() else { return };
    let slow = Duration::from_millis(600);
    let file = File::create(disk.at("slow")).unwrap();
    assert_eq!(disk.send(r#"{"command":"slow","flushMs":600}"#)["event"], "slow");
    std::thread::scope(|scope| {
        let started = Instant::now();
        let flush = scope.spawn(|| file.sync_all());
        while started.elapsed() < slow / 4 {
            fs::write(disk.at("other"), b"content").unwrap();
        }
        assert!(!flush.is_finished() && started.elapsed() < slow);
        flush.join().unwrap().unwrap();
        assert!(started.elapsed() >= slow);
        flush_directory(&disk.root());
        assert!(started.elapsed() >= 2 * slow);
    });
    assert_eq!(disk.send(r#"{"command":"slow","flushMs":0}"#)["event"], "slow");
    let started = Instant::now();
    file.sync_all().unwrap();
    assert!(started.elapsed() < slow);
}

#[test]
fn a_line_that_is_no_command_fails_and_the_disk_goes_on() {
    let Some(mut disk) = Mounted::new() else { return };
    assert_eq!(disk.send("burn")["event"], "failed");
    assert_eq!(disk.send(r#"{"command":"stats"}"#)["event"], "stats");
}

#[test]
fn nothing_stays_mounted_however_it_ends() {
    type End = fn(&mut Mounted);
    let ends: [(End, Option<i32>); 5] = [
        (Mounted::end, Some(0)),
        (|disk| signal(disk.child.id() as i32, Signal::SIGTERM), Some(0)),
        (|disk| signal(disk.child.id() as i32, Signal::SIGINT), Some(0)),
        (|disk| signal(disk.server(), Signal::SIGKILL), Some(1)),
        (|disk| signal(disk.child.id() as i32, Signal::SIGKILL), None),
    ];
    for (number, (end, code)) in ends.into_iter().enumerate() {
        let Some(mut disk) = Mounted::new() else { return };
        assert!(disk.is_mounted());
        let in_use = File::create(disk.at("file")).unwrap();
        end(&mut disk);
        assert_eq!(disk.child.wait().unwrap().code(), code, "end {number}");
        soon(|| !disk.is_mounted());
        drop(in_use);
    }
}

fn signal(process: i32, signal: Signal) {
    kill(Pid::from_raw(process), signal).unwrap();
}
