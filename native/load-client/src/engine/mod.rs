//! One thread's share of a trial, on its own runtime.

#[cfg_attr(not(target_os = "linux"), path = "alarm_of_runtime.rs")]
mod alarm;
mod assignment;
mod canaries;
mod connect;
mod health;
mod inbox;
mod lane;
mod load;
mod pace;
mod panics;
mod processor;
mod state;
mod watched;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fair_bench_workload::{LOG_BYTES_MAX, Log, Stream};
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::error::{Error, Result};
use crate::recorder::Recorder;
pub use assignment::{Assignment, Emit, Event, Report, Trial, WorkerCommand};
pub use inbox::{Heard, Inbox};
pub use panics::{failure_of, tell_panics_as_reasons};

/// How many turns of sessions in this process pass before the thread looks at its time and its orders: one of a commit to
/// disk may take milliseconds.
const TURNS_IN_PROCESS: u32 = 4;

/// Executes an assignment; called on its own thread. A panic fails the trial.
pub fn run(assignment: Assignment, commands: UnboundedReceiver<WorkerCommand>, emit: Emit) {
    let work = || -> Result<Event> {
        let mut builder = Builder::new_current_thread();
        if assignment.trial.connector.is_in_process() {
            builder.event_interval(TURNS_IN_PROCESS).global_queue_interval(TURNS_IN_PROCESS);
        }
        let runtime = builder
            .enable_all()
            .build_local(LocalOptions::default())
            .map_err(|error| Error::Thread(format!("a load thread has no runtime: {error}")))?;
        let event = runtime.block_on(carry_out(&assignment, commands, &emit));
        // Name look-ups may still run; the process does not wait for them.
        runtime.shutdown_background();
        event
    };
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(failure_of(&*panic)));
    emit(result.unwrap_or_else(Event::Failed));
}

async fn carry_out(
    assignment: &Assignment,
    mut commands: UnboundedReceiver<WorkerCommand>,
    emit: &Emit,
) -> Result<Event> {
    let Trial { plan, program, workload, replies, .. } = &*assignment.trial;
    let sessions = (assignment.session_first, assignment.session_count);
    let bytes_max = LOG_BYTES_MAX / plan.threads as usize;
    let log = plan.log_path.as_ref().map(|_| Log::new(replies, sessions, plan.sessions, bytes_max));
    let recorder = Recorder::new(&plan.timing, workload, Arc::clone(&assignment.blocks), log)?;
    let Some(sessions) = connect::connect_sessions(assignment, &mut commands).await? else {
        return Ok(Event::Aborted);
    };
    emit(Event::Connected);
    let lanes = sessions.into_iter().zip(assignment.session_first..).map(|(session, number)| {
        lane::Lane::new(session, Stream::new(program, number), (plan.depth, plan.batch))
    });
    load::Load::new(assignment, recorder, lanes.collect(), Arc::clone(emit)).run(commands).await
}
