//! Mounting and unmounting.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fuser::{BackgroundSession, Config, Session, SessionACL};
use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, umount2};
use nix::unistd::{getegid, geteuid};

use crate::disk::{DIRECTORY, Disk};
use crate::surface::Surface;

/// What `/proc/mounts` calls it.
const NAME: &str = "forgetful-disk";

/// The threads that answer the kernel. Each can be held up by one flush, and others must go on meanwhile.
const THREADS: usize = 32;

/// How long an unmount is tried again while the mount is busy: a process that was killed may take a while to go.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// A mount that is being served.
#[derive(Debug)]
pub(crate) struct Mount {
    target: PathBuf,
    session: BackgroundSession,
}

impl Mount {
    /// Mounts the disk. The library's own way to mount is not taken: it unmounts whatever is mounted at the same path
    /// when its session ends, even if that is the next mount.
    pub(crate) fn new(disk: &Arc<Disk>, target: &Path) -> io::Result<Self> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse");
        let device = device.map_err(|error| impossible(&format!("/dev/fuse: {error}")))?;
        let options = format!(
            "fd={},rootmode={DIRECTORY:o},user_id={},group_id={},default_permissions,allow_other",
            device.as_raw_fd(),
            geteuid(),
            getegid(),
        );
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        match nix::mount::mount(Some(NAME), target, Some("fuse"), flags, Some(options.as_str())) {
            Err(error @ (Errno::EPERM | Errno::ENODEV)) => {
                return Err(impossible(&format!(
                    "mounting needs root, or a user namespace of its own: {error}"
                )));
            }
            mounted => mounted?,
        }
        let mut config = Config::default();
        config.acl = SessionACL::All;
        config.n_threads = Some(THREADS);
        // The threads would hinder each other at one descriptor.
        config.clone_fd = true;
        let session =
            Session::from_fd(Surface(Arc::clone(disk)), OwnedFd::from(device), SessionACL::All, config)
                .and_then(Session::spawn);
        match session {
            Ok(session) => Ok(Self { target: target.to_owned(), session }),
            Err(error) => {
                detach(target)?;
                Err(error)
            }
        }
    }

    /// Unmounts, so that everything that the kernel still had to write has been written and nothing of it is cached.
    /// A mount that stays busy is given back.
    pub(crate) fn unmount(self) -> Result<(), (Self, io::Error)> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match umount2(&self.target, MntFlags::empty()) {
                Ok(()) => break,
                // It is unmounted already: by somebody else, or by an earlier call that then waited in vain.
                Err(Errno::EINVAL) => break,
                Err(Errno::EBUSY) if Instant::now() < deadline => std::thread::sleep(PAUSE),
                Err(error) => return Err((self, error.into())),
            }
        }
        while !self.session.guard.is_finished() {
            if Instant::now() > deadline + PATIENCE {
                let seen = "the mount lives on in another mount namespace, or a flush does not end";
                return Err((self, io::Error::other(seen)));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // How the threads ended does not matter: there is no mount that they could answer for.
        let _end = self.session.join();
        Ok(())
    }
}

/// The error by which a caller knows that nothing can be mounted on this machine.
fn impossible(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, text)
}

/// Unmounts at once. Whoever still uses the mount loses it when they let go of it.
pub(crate) fn detach(target: &Path) -> io::Result<()> {
    match umount2(target, MntFlags::MNT_DETACH) {
        // Nothing is mounted there.
        Err(Errno::EINVAL) => Ok(()),
        detached => Ok(detached?),
    }
}

/// Unmounts what is left of a mount whose serving process has died, if there is one.
pub(crate) fn detach_dead(target: &Path) -> io::Result<()> {
    match nix::sys::statvfs::statvfs(target) {
        Err(Errno::ENOTCONN | Errno::ECONNABORTED) => detach(target),
        _ => Ok(()),
    }
}
