//! The plan from standard input, and the checks before anything is connected.

use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use fair_bench_workload::{ChangedRows, Program, Replies, Values, Workload, WorkloadError};
use nix::unistd::{AccessFlags, access};
use serde_json::Value;

use crate::engine::{Inbox, Trial};
use crate::error::{Error, Result};
use crate::output::write_notice;
use crate::plan::{ChangedPlan, Client, Order, RunnerCommand, Share, TrialPlan, read_command};
use crate::sessions::CreateConnector;

const PLAN_MAX: Duration = Duration::from_secs(600);
/// More operations than these would test memory, not a target.
const SLOTS_MAX: u64 = 1_000_000;
/// The plan, and where later commands arrive.
pub struct Input {
    /// What to carry out.
    pub trial: Trial,
    /// Receives what comes after the plan.
    pub inbox: Inbox,
}

/// Reads the plan of a program with these protocols as the first command of standard input, whose end ends the process.
///
/// # Errors
/// When something is wrong; then nothing was connected.
pub fn read_input(name: &str, protocols: &[(&str, CreateConnector)], arguments: &[String]) -> Result<Input> {
    if let Some(first) = arguments.first() {
        let usage = format!("usage: {name}, without arguments; see packages/load-client/PROTOCOL.md");
        return Err(Error::plan(format!("unknown argument {first:?}"), usage));
    }
    let inbox = Inbox::default();
    let plan = from_standard_input(&inbox)?;
    check_plan(plan, protocols).map(|trial| Input { trial, inbox })
}

fn from_standard_input(inbox: &Inbox) -> Result<TrialPlan> {
    let (plan_sender, plan) = channel();
    let order = inbox.orders();
    std::thread::spawn(move || hear(&plan_sender, &order));
    match plan.recv_timeout(PLAN_MAX) {
        Ok(plan) => plan.map(|plan| *plan),
        Err(RecvTimeoutError::Timeout) => {
            Err(Error::plan("standard input", format!("no plan within {} ms", PLAN_MAX.as_millis())))
        }
        Err(RecvTimeoutError::Disconnected) => Err(Error::plan("standard input", "it can no longer be read")),
    }
}

/// Until standard input ends; then nobody is left to read a result, and the process ends at once.
fn hear(plan: &Sender<Result<Box<TrialPlan>>>, order: &dyn Fn(Order)) {
    let mut has_plan = false;
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match (read_command(&line), has_plan) {
            (Ok(RunnerCommand::Plan(first)), false) => {
                has_plan = true;
                // A plan that came too late has no receiver.
                let _late = plan.send(Ok(first));
            }
            (Ok(RunnerCommand::Order(next)), true) => order(next),
            (Ok(RunnerCommand::Plan(_)), true) => write_notice("standard input: a second plan; ignored"),
            (Err(error), true) => write_notice(&format!("{error}; ignored")),
            (Ok(RunnerCommand::Order(_)), false) => {
                let error = Error::plan("standard input", "the first command has to be the plan");
                let _late = plan.send(Err(error));
                return;
            }
            (Err(error), false) => {
                let _late = plan.send(Err(error));
                return;
            }
        }
    }
    std::process::exit(1);
}

/// Checks what a schema cannot, and whether this client supports the plan.
fn check_plan(plan: TrialPlan, protocols: &[(&str, CreateConnector)]) -> Result<Trial> {
    let TrialPlan { sessions, depth, batch, threads, .. } = plan;
    let Share { session_first, session_count } = plan.share();
    if session_first + session_count > sessions {
        let reason = format!(
            "{session_count} sessions from {session_first} are more than the {sessions} of the trial"
        );
        return Err(Error::plan("plan.share", reason));
    }
    if threads > session_count {
        let reason = format!("{threads} threads for {session_count} sessions; at most one each");
        return Err(Error::plan("plan.threads", reason));
    }
    if u64::from(session_count) * u64::from(depth) * u64::from(batch) > SLOTS_MAX {
        let reason = format!(
            "{session_count} sessions × depth {depth} is more than {SLOTS_MAX} outstanding operations"
        );
        return Err(Error::plan("plan.depth", reason));
    }
    if let Some(path) = &plan.log_path {
        let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let wrong = |error| format!("{} cannot be written to: {error}", folder.display());
        access(folder, AccessFlags::W_OK).map_err(|error| Error::plan("plan.logPath", wrong(error)))?;
    }
    let Client::Native { protocol } = &plan.client else {
        return Err(Error::plan("plan.client.kind", "this is the native load client, got \"node\""));
    };
    let known = protocols.iter().find(|(name, _)| name == protocol);
    let Some((_, create)) = known else {
        let names = protocols.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let reason = format!("there is no protocol \"{protocol}\"; there are {names}");
        return Err(Error::plan("plan.client.protocol", reason));
    };
    let workload = Arc::new(read_workload(&plan)?);
    let program = Program::new(&workload, sessions);
    let connector = create(&plan.endpoint, &workload);
    if batch > 1 && !connector.has_batches() {
        let reason = format!("the protocol {protocol} sends each operation by itself, got {batch}");
        return Err(Error::plan("plan.batch", reason));
    }
    let canaries = read_canaries(&plan, &workload)?;
    let replies = Replies::new(&workload).with_changed(read_changed(&plan, &workload)?);
    let replies = Arc::new(replies);
    Ok(Trial { plan, workload, program: Arc::new(program), canaries, replies, connector })
}

fn read_changed(plan: &TrialPlan, workload: &Workload) -> Result<Option<ChangedRows>> {
    let Some(ChangedPlan { table, column, rows }) = &plan.changed else { return Ok(None) };
    let changed = ChangedRows::new(workload, (*table, *column), rows.iter().copied()).ok_or_else(|| {
        Error::plan("plan.changed", format!("the workload has no column {column} of table {table}"))
    })?;
    Ok(Some(changed))
}

fn read_canaries(plan: &TrialPlan, workload: &Workload) -> Result<Vec<Values>> {
    let wrong = |reason: String| Error::plan("plan.canaries", reason);
    let planned = plan.canaries.iter().enumerate();
    let canaries = planned.map(|(place, canary)| {
        let canary = canary.as_array().and_then(|canary| canary.split_first());
        let (first, arguments) = canary.ok_or_else(|| wrong(format!("{place}: no operation")))?;
        let number = first.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX);
        let operation = workload.operations.get(number as usize);
        let operation =
            operation.ok_or_else(|| wrong(format!("{place}: the workload has no operation {first}")))?;
        Values::parse(number, operation, arguments).map_err(|error| wrong(format!("{place}: {error}")))
    });
    canaries.collect()
}

fn read_workload(plan: &TrialPlan) -> Result<Workload> {
    Workload::parse(&Value::Object(plan.workload.clone())).map_err(|error| match error {
        WorkloadError::Form { path, reason } => Error::plan(format!("plan.workload.{path}"), reason),
        other => Error::plan("plan.workload", other.to_string()),
    })
}
