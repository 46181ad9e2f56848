use std::time::SystemTime;

use super::*;

const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_644;

fn attributes(mode: u32) -> Attributes {
    let now = SystemTime::UNIX_EPOCH;
    Attributes { mode, uid: 0, gid: 0, device: 0, accessed: now, modified: now, changed: now }
}

fn names() -> Names<u64> {
    Names::new(attributes(DIRECTORY))
}

/// A new file whose content is its number.
fn file(names: &mut Names<u64>, parent: u64, name: &str) -> u64 {
    let number = names.reserve();
    names.add((parent, OsStr::new(name)), number, Kind::File(number), attributes(FILE)).unwrap();
    number
}

fn directory(names: &mut Names<u64>, parent: u64, name: &str) -> u64 {
    let number = names.reserve();
    let kind = Kind::Directory(Directory::new(parent));
    names.add((parent, OsStr::new(name)), number, kind, attributes(DIRECTORY)).unwrap();
    number
}

fn find(names: &Names<u64>, parent: u64, name: &str) -> Result<u64, Errno> {
    names.find(parent, OsStr::new(name))
}

fn rename(names: &mut Names<u64>, from: (u64, &str), to: (u64, &str), how: Rename) -> Result<(), Errno> {
    names.rename((from.0, OsStr::new(from.1)), (to.0, OsStr::new(to.1)), how)
}

#[test]
fn a_new_name_is_gone_unless_its_directory_was_flushed() {
    let mut names = names();
    let kept = file(&mut names, ROOT, "kept");
    names.flush_directory(ROOT).unwrap();
    let lost = file(&mut names, ROOT, "lost");
    assert_eq!(names.unflushed(), 1);
    assert_eq!(names.cut(), 1);
    assert_eq!(find(&names, ROOT, "kept"), Ok(kept));
    assert_eq!(find(&names, ROOT, "lost"), Err(Errno::ENOENT));
    assert_eq!(names.take_dropped(), [lost]);
}

#[test]
fn a_new_directory_takes_its_flushed_names_with_it() {
    let mut names = names();
    let inner = directory(&mut names, ROOT, "inner");
    let lost = file(&mut names, inner, "lost");
    names.flush_directory(inner).unwrap();
    assert_eq!(names.cut(), 2);
    assert_eq!(names.take_dropped(), [lost]);
}

#[test]
fn a_rename_is_undone_and_the_replaced_file_is_back() {
    let mut names = names();
    let (a, b) = (file(&mut names, ROOT, "a"), file(&mut names, ROOT, "b"));
    names.settle();
    rename(&mut names, (ROOT, "a"), (ROOT, "b"), Rename::Replace).unwrap();
    assert_eq!(find(&names, ROOT, "b"), Ok(a));
    assert!(names.take_dropped().is_empty(), "a durable name still stands for the replaced file");
    assert_eq!(names.cut(), 2);
    assert_eq!((find(&names, ROOT, "a"), find(&names, ROOT, "b")), (Ok(a), Ok(b)));
    rename(&mut names, (ROOT, "a"), (ROOT, "b"), Rename::Replace).unwrap();
    names.flush_directory(ROOT).unwrap();
    assert_eq!(names.take_dropped(), [b]);
    assert_eq!(names.cut(), 0);
    assert_eq!((find(&names, ROOT, "a"), find(&names, ROOT, "b")), (Err(Errno::ENOENT), Ok(a)));
}

#[test]
fn a_rename_across_directories_is_kept_by_each_of_the_two() {
    let mut names = names();
    let (from, to) = (directory(&mut names, ROOT, "from"), directory(&mut names, ROOT, "to"));
    let moved = file(&mut names, from, "file");
    let moved_directory = directory(&mut names, from, "directory");
    names.settle();
    rename(&mut names, (from, "file"), (to, "file"), Rename::Replace).unwrap();
    rename(&mut names, (from, "directory"), (to, "directory"), Rename::Replace).unwrap();
    assert_eq!(names.directory(moved_directory).unwrap().parent, to);
    names.flush_directory(to).unwrap();
    names.cut();
    assert_eq!((find(&names, from, "file"), find(&names, to, "file")), (Ok(moved), Ok(moved)));
    assert_eq!(names.inode(moved).unwrap().links, 2);
    let found = [find(&names, from, "directory"), find(&names, to, "directory")];
    assert_eq!(found.iter().filter(|number| **number == Ok(moved_directory)).count(), 1);
}

#[test]
fn a_rename_obeys_its_flags() {
    let mut names = names();
    let (a, b) = (file(&mut names, ROOT, "a"), file(&mut names, ROOT, "b"));
    assert_eq!(rename(&mut names, (ROOT, "a"), (ROOT, "b"), Rename::KeepExisting), Err(Errno::EEXIST));
    assert_eq!(rename(&mut names, (ROOT, "a"), (ROOT, "c"), Rename::Exchange), Err(Errno::ENOENT));
    rename(&mut names, (ROOT, "a"), (ROOT, "b"), Rename::Exchange).unwrap();
    assert_eq!((find(&names, ROOT, "a"), find(&names, ROOT, "b")), (Ok(b), Ok(a)));
    assert!(names.take_dropped().is_empty());
    assert_eq!(names.inode(a).unwrap().links, 1);
}

#[test]
fn an_unlinked_file_stays_while_it_is_held_or_durable() {
    let mut names = names();
    let held = file(&mut names, ROOT, "held");
    names.hold(held);
    names.unlink(ROOT, OsStr::new("held")).unwrap();
    assert!(names.take_dropped().is_empty());
    names.give_back(held, 1);
    assert_eq!(names.take_dropped(), [held]);
    let durable = file(&mut names, ROOT, "durable");
    names.settle();
    names.unlink(ROOT, OsStr::new("durable")).unwrap();
    assert!(names.take_dropped().is_empty());
    names.flush_directory(ROOT).unwrap();
    assert_eq!(names.take_dropped(), [durable]);
}

#[test]
fn a_removed_directory_lets_go_of_what_it_durably_named() {
    let mut names = names();
    let inner = directory(&mut names, ROOT, "inner");
    let named = file(&mut names, inner, "named");
    names.settle();
    names.unlink(inner, OsStr::new("named")).unwrap();
    names.remove_directory(ROOT, OsStr::new("inner")).unwrap();
    assert!(names.take_dropped().is_empty());
    names.flush_directory(ROOT).unwrap();
    assert_eq!(names.take_dropped(), [named]);
    assert_eq!(names.inode(inner).map(|inode| inode.links), Err(Errno::ESTALE));
}

#[test]
fn a_directory_with_names_is_neither_removed_nor_replaced() {
    let mut names = names();
    let inner = directory(&mut names, ROOT, "inner");
    file(&mut names, inner, "file");
    directory(&mut names, ROOT, "other");
    assert_eq!(names.remove_directory(ROOT, OsStr::new("inner")), Err(Errno::ENOTEMPTY));
    let replaced = rename(&mut names, (ROOT, "other"), (ROOT, "inner"), Rename::Replace);
    assert_eq!(replaced, Err(Errno::ENOTEMPTY));
}
