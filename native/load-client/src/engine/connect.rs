//! Connecting and closing the sessions of a thread.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::assignment::{Assignment, WorkerCommand};
use crate::error::{Error, Result};
use crate::plan::TrialPlan;
use crate::sessions::Session;

const CONNECTS_AT_ONCE_MAX: usize = 32;
const CLOSE_MAX: Duration = Duration::from_secs(5);
/// Longer waits of a plan end here.
const CONNECT_MS_MAX: u64 = 86_400_000;

/// Connects the sessions, a few at a time, within `connectMs` for all of them; `None` after an order to abort. After
/// an error the connected ones are closed.
pub(super) async fn connect_sessions(
    assignment: &Assignment,
    commands: &mut UnboundedReceiver<WorkerCommand>,
) -> Result<Option<Vec<Box<dyn Session>>>> {
    let plan = &assignment.trial.plan;
    let deadline = Instant::now() + Duration::from_millis(plan.timing.connect_ms.min(CONNECT_MS_MAX));
    let count = assignment.session_count as usize;
    // A canary is sent behind the slots' operations.
    let places = plan.depth + u32::from(!assignment.trial.canaries.is_empty());
    let mut connected: Vec<Option<Box<dyn Session>>> = Vec::new();
    connected.resize_with(count, || None);
    let mut connecting = JoinSet::new();
    let mut started = 0;
    let mut done = 0;
    let failure = loop {
        while started < count && connecting.len() < CONNECTS_AT_ONCE_MAX {
            let (index, session) = (started, assignment.trial.connector.connect(places));
            connecting.spawn_local(async move { (index, session.await) });
            started += 1;
        }
        if done == count {
            return Ok(Some(connected.into_iter().flatten().collect()));
        }
        tokio::select! {
            joined = connecting.join_next() => match joined {
                Some(Ok((index, Ok(session)))) => {
                    connected[index] = Some(session);
                    done += 1;
                }
                Some(Ok((_, Err(error)))) => break Some(error),
                Some(Err(panic)) => break Some(Error::Panic(panic.to_string())),
                None => break Some(Error::refused("nothing was left to wait for")),
            },
            () = tokio::time::sleep_until(deadline) => {
                break Some(Error::refused(format!("not all within {} ms", plan.timing.connect_ms)));
            }
            // Before the first operation there is no other command.
            _ = commands.recv() => break None,
        }
    };
    connecting.shutdown().await;
    close_sessions(connected.into_iter().flatten()).await;
    failure.map_or(Ok(None), |source| Err(connect_error(plan, done, source)))
}

/// Closes sessions; one that does not close within five seconds ends with the process.
pub(super) async fn close_sessions(sessions: impl Iterator<Item = Box<dyn Session>>) {
    let mut closing = JoinSet::new();
    for session in sessions {
        closing.spawn_local(session.close());
    }
    // Either way they are done.
    let _late = timeout(CLOSE_MAX, async { while closing.join_next().await.is_some() {} }).await;
}

fn connect_error(plan: &TrialPlan, connected: usize, source: Error) -> Error {
    let (sessions, endpoint) = (plan.share().session_count, plan.endpoint.shown());
    Error::Connect { sessions, endpoint, connected, source: Box::new(source) }
}
