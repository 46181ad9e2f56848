//! The process that serves the mount and obeys the protocol.

use std::io::{self, BufRead};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::SystemTime;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};

use crate::complain::complain;
use crate::disk::{Cut, DIRECTORY, Disk, KIND, Stats};
use crate::mount::{self, Mount};
use crate::names::Attributes;
use crate::protocol::{Command, Event};

/// What the main thread waits for.
enum Order {
    Line(String),
    End,
}

/// The disk and its mount, which is missing only if it could not be mounted again.
struct Server {
    disk: Arc<Disk>,
    target: PathBuf,
    mount: Option<Mount>,
}

/// Serves until stdin ends or a signal comes.
pub(crate) fn run(backing: &Path, target: &Path) -> io::Result<ExitCode> {
    let orders = orders()?;
    keep_many_files_open();
    if std::fs::read_dir(backing).map_err(|error| of(backing, &error))?.next().is_some() {
        return Err(io::Error::other(format!("{}: the folder is not empty", backing.display())));
    }
    let backing = backing.canonicalize()?;
    let root = root(target).map_err(|error| of(target, &error))?;
    let disk = Arc::new(Disk::new(&backing, root));
    let mount = Mount::new(&disk, target)?;
    let mut server = Server { disk, target: target.to_owned(), mount: Some(mount) };
    // A caller that has gone is noticed by the end of stdin.
    let _unheard = Event::Mounted.tell();
    while let Ok(Order::Line(line)) = orders.recv() {
        let event = serde_json::from_str(&line)
            .map_err(|error| io::Error::other(format!("no command is in this line: {error}")))
            .and_then(|command| server.obey(command));
        let _unheard = event.unwrap_or_else(|error| Event::Failed { reason: error.to_string() }).tell();
    }
    server.end()?;
    Ok(ExitCode::SUCCESS)
}

/// The error with the path that it is about.
fn of(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

/// Reads lines and waits for signals, each in a thread. All threads are to start after this: none must get a signal.
fn orders() -> io::Result<Receiver<Order>> {
    let (sender, orders) = channel();
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals.thread_block()?;
    // The guard may be killed in a way that it cannot tell.
    nix::sys::prctl::set_pdeathsig(Signal::SIGTERM)?;
    let to_end: Sender<Order> = sender.clone();
    std::thread::spawn(move || {
        let _signal = signals.wait();
        to_end.send(Order::End)
    });
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(Order::Line(line)).is_err() {
                return;
            }
        }
        let _ended = sender.send(Order::End);
    });
    Ok(orders)
}

/// Each file's content is kept open: as many as the system allows.
fn keep_many_files_open() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
    if let Err(error) = raised {
        complain(&format!("the number of open files stays as it is: {error}"));
    }
}

/// The root directory is what the folder under the mount is.
fn root(target: &Path) -> io::Result<Attributes> {
    let folder = std::fs::metadata(target)?;
    let now = SystemTime::now();
    Ok(Attributes {
        mode: DIRECTORY | folder.mode() & !KIND,
        uid: folder.uid(),
        gid: folder.gid(),
        device: 0,
        accessed: now,
        modified: now,
        changed: now,
    })
}

impl Server {
    fn obey(&mut self, command: Command) -> io::Result<Event> {
        Ok(match command {
            Command::Settle => {
                self.disk.settle()?;
                Event::Settled
            }
            Command::Cut => {
                let Cut { files, bytes, names } = self.cut()?;
                Event::Cut { files, bytes, names }
            }
            Command::Full => {
                self.disk.set_full(true);
                Event::Full
            }
            Command::Free => {
                self.disk.set_full(false);
                Event::Free
            }
            Command::Slow { flush_ms } => {
                self.disk.set_flush_delay(flush_ms);
                Event::Slow
            }
            Command::Stats => {
                let Stats { flushes, directory_flushes, unflushed_bytes, unflushed_names } =
                    self.disk.stats();
                Event::Stats { flushes, directory_flushes, unflushed_bytes, unflushed_names }
            }
        })
    }

    fn cut(&mut self) -> io::Result<Cut> {
        if let Some(mount) = self.mount.take()
            && let Err((mount, error)) = mount.unmount()
        {
            self.mount = Some(mount);
            return Err(io::Error::other(format!("the disk cannot be unmounted: {error}")));
        }
        let cut = self.disk.cut();
        self.mount = Some(Mount::new(&self.disk, &self.target)?);
        cut
    }

    /// Unmounts, and removes the contents: without the names, which are nowhere else, nobody can read them.
    fn end(mut self) -> io::Result<()> {
        if let Some(mount) = self.mount.take() {
            mount::detach(&self.target)?;
            drop(mount);
        }
        self.disk.clear()
    }
}
