//! A power cut takes back what was not flushed, and nothing else.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

mod support;

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;

use nix::libc;
use support::{Mounted, flush_directory, write_flushed, write_with};

#[test]
fn flushed_data_stays_and_unflushed_data_goes() {
    let Some(mut disk) = Mounted::new() else { return };
    write_flushed(&disk.at("file"), &[1; 10_000]);
    flush_directory(&disk.root());
    write_with(&disk.at("file"), false, 0, &[2; 5_000]);
    write_with(&disk.at("file"), true, 0, &[3; 700]);
    assert_eq!(disk.stat("unflushedBytes"), 2 * 4096 + 700);
    assert_eq!(disk.cut(), [1, 2 * 4096 + 700, 0]);
    assert_eq!(fs::read(disk.at("file")).unwrap(), [1; 10_000]);
    assert_eq!(disk.cut(), [0, 0, 0]);
}

#[test]
fn a_name_goes_unless_its_directory_was_flushed() {
    let Some(mut disk) = Mounted::new() else { return };
    fs::create_dir(disk.at("folder")).unwrap();
    flush_directory(&disk.root());
    write_flushed(&disk.at("folder/lost"), b"content");
    assert_eq!(disk.stat("unflushedNames"), 1);
    assert_eq!(disk.cut(), [0, 0, 1]);
    assert_eq!(fs::read_dir(disk.at("folder")).unwrap().count(), 0);
    write_flushed(&disk.at("folder/kept"), b"content");
    flush_directory(&disk.at("folder"));
    assert_eq!(disk.cut(), [0, 0, 0]);
    assert_eq!(fs::read(disk.at("folder/kept")).unwrap(), b"content");
}

#[test]
fn a_durable_name_of_an_unflushed_file_is_an_empty_file() {
    let Some(mut disk) = Mounted::new() else { return };
    fs::write(disk.at("file"), b"content").unwrap();
    flush_directory(&disk.root());
    assert_eq!(disk.cut(), [1, 7, 0]);
    assert_eq!(fs::read(disk.at("file")).unwrap(), b"");
}

#[test]
fn a_rename_and_an_unlink_are_undone() {
    let Some(mut disk) = Mounted::new() else { return };
    for name in ["new", "old", "gone"] {
        write_flushed(&disk.at(name), name.as_bytes());
    }
    disk.settle();
    fs::rename(disk.at("new"), disk.at("old")).unwrap();
    fs::remove_file(disk.at("gone")).unwrap();
    assert_eq!(fs::read(disk.at("old")).unwrap(), b"new");
    assert_eq!(disk.cut(), [0, 0, 3]);
    for name in ["new", "old", "gone"] {
        assert_eq!(fs::read(disk.at(name)).unwrap(), name.as_bytes());
    }
    fs::rename(disk.at("new"), disk.at("old")).unwrap();
    fs::remove_file(disk.at("gone")).unwrap();
    flush_directory(&disk.root());
    assert_eq!(disk.cut(), [0, 0, 0]);
    assert_eq!(fs::read(disk.at("old")).unwrap(), b"new");
    assert_eq!(fs::read_dir(disk.root()).unwrap().count(), 1);
}

#[test]
fn a_truncation_is_undone() {
    let Some(mut disk) = Mounted::new() else { return };
    write_flushed(&disk.at("file"), &[1; 10_000]);
    disk.settle();
    File::create(disk.at("file")).unwrap();
    assert_eq!(fs::metadata(disk.at("file")).unwrap().len(), 0);
    assert_eq!(disk.cut(), [1, 10_000, 0]);
    assert_eq!(fs::read(disk.at("file")).unwrap(), [1; 10_000]);
}

#[test]
fn a_synchronous_write_stays_and_a_direct_one_goes() {
    let Some(mut disk) = Mounted::new() else { return };
    for (flags, kept) in [(libc::O_DSYNC, true), (libc::O_SYNC, true), (0, false), (libc::O_DIRECT, false)] {
        write_flushed(&disk.at("file"), b"before");
        disk.settle();
        let flushes = disk.stat("flushes");
        write_with(&disk.at("file"), true, flags, b" and after");
        assert_eq!(disk.stat("flushes") - flushes, u64::from(kept), "each write is flushed once");
        disk.cut();
        let expected: &[u8] = if kept { b"before and after" } else { b"before" };
        assert_eq!(fs::read(disk.at("file")).unwrap(), expected);
    }
}

/// Maps a file in a process of its own, writes to the mapping, and flushes it or not.
const MAP: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    mapped = mmap.mmap(file.fileno(), 0)
    mapped[0:6] = b'mapped'
    if sys.argv[2] == 'flush':
        mapped.flush()
";

#[test]
fn a_mapping_stays_if_it_was_flushed() {
    let Some(mut disk) = Mounted::new() else { return };
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: python3 maps the file, and is not here");
        return;
    }
    for (how, expected) in [("flush", b"mapped"), ("leave", b"before")] {
        write_flushed(&disk.at("file"), b"before");
        disk.settle();
        let mapped = Command::new("python3").args(["-c", MAP]).arg(disk.at("file")).arg(how).status();
        assert!(mapped.unwrap().success());
        assert_eq!(fs::read(disk.at("file")).unwrap(), b"mapped");
        disk.cut();
        assert_eq!(fs::read(disk.at("file")).unwrap(), expected);
    }
}

#[test]
fn an_unlinked_file_that_is_open_goes_on() {
    let Some(disk) = Mounted::new() else { return };
    let mut file = File::create_new(disk.at("file")).unwrap();
    fs::remove_file(disk.at("file")).unwrap();
    file.write_all(b"content").unwrap();
    file.sync_all().unwrap();
    assert_eq!(file.metadata().unwrap().len(), 7);
}

#[test]
fn a_disk_in_use_is_not_cut() {
    let Some(mut disk) = Mounted::new() else { return };
    let file = File::create_new(disk.at("file")).unwrap();
    let event = disk.send(r#"{"command":"cut"}"#);
    assert_eq!(event["event"], "failed", "{event}");
    drop(file);
    assert_eq!(disk.cut(), [0, 0, 1]);
}
