//! The plan from standard input or a file, and the checks before anything is connected.

use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use fair_bench_workload::{Program, Replies, Values, Workload, WorkloadError};
use nix::unistd::{AccessFlags, access};
use serde_json::Value;

use crate::engine::Trial;
use crate::output::write_notice;
use crate::plan::{Client, Command, Order, Share, TrialPlan, read_command, read_plan_file};
use crate::sessions::{PROTOCOLS, protocol_names};

const PLAN_MAX: Duration = Duration::from_secs(600);
/// More operations than these would test memory, not a target.
const SLOTS_MAX: u64 = 1_000_000;
/// The plan, and where later commands arrive.
pub struct Input {
    /// What to carry out.
    pub trial: Trial,
    /// Receives what comes after the plan.
    pub orders: Receiver<Order>,
}

/// Reads the plan: from the file of `--plan`, or as the first command of standard input, whose end ends the
/// process.
///
/// # Errors
/// One line that names what is wrong; then nothing was connected.
pub fn read_input(arguments: &[String]) -> Result<Input, String> {
    let (plan, orders) = match plan_path(arguments)? {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("--plan: {path} cannot be read: {error}"))?;
            (read_plan_file(&text, path)?, channel().1)
        }
        None => from_standard_input()?,
    };
    check_plan(plan).map(|trial| Input { trial, orders })
}

fn plan_path(arguments: &[String]) -> Result<Option<&str>, String> {
    let usage = "usage: native [--plan FILE]; see packages/load-client/PROTOCOL.md";
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(None),
        ["--plan", path] => Ok(Some(path)),
        ["--plan"] => Err(format!("--plan: got nothing, accepts the path of a file; {usage}")),
        [one] if one.starts_with("--plan=") => Ok(Some(&arguments[0]["--plan=".len()..])),
        [first, ..] => Err(format!("unknown argument {first:?}; {usage}")),
    }
}

fn from_standard_input() -> Result<(TrialPlan, Receiver<Order>), String> {
    let (plan_sender, plan) = channel();
    let (order_sender, orders) = channel();
    std::thread::spawn(move || hear(&plan_sender, &order_sender));
    match plan.recv_timeout(PLAN_MAX) {
        Ok(Ok(plan)) => Ok((*plan, orders)),
        Ok(Err(reason)) => Err(reason),
        Err(RecvTimeoutError::Timeout) => {
            Err(format!("standard input: no plan within {} ms", PLAN_MAX.as_millis()))
        }
        Err(RecvTimeoutError::Disconnected) => Err("standard input: it can no longer be read".to_owned()),
    }
}

/// Until standard input ends; then nobody is left to read a result, and the process ends at once.
fn hear(plan: &Sender<Result<Box<TrialPlan>, String>>, orders: &Sender<Order>) {
    let mut has_plan = false;
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match (read_command(&line), has_plan) {
            (Ok(Command::Plan(first)), false) => {
                has_plan = true;
                // A plan that came too late has no receiver.
                let _late = plan.send(Ok(first));
            }
            (Ok(Command::Order(order)), true) => {
                // A second one is ignored, and after the trial there is no receiver.
                let _over = orders.send(order);
            }
            (Ok(Command::Plan(_)), true) => write_notice("standard input: a second plan; ignored"),
            (Err(reason), true) => write_notice(&format!("{reason}; ignored")),
            (Ok(Command::Order(_)), false) => {
                let reason = "standard input: the first command has to be the plan".to_owned();
                let _late = plan.send(Err(reason));
                return;
            }
            (Err(reason), false) => {
                let _late = plan.send(Err(reason));
                return;
            }
        }
    }
    std::process::exit(1);
}

/// Checks what a schema cannot, and whether this client supports the plan.
fn check_plan(plan: TrialPlan) -> Result<Trial, String> {
    let TrialPlan { sessions, depth, threads, .. } = plan;
    let Share { session_first, session_count } = plan.share();
    if session_first + session_count > sessions {
        return Err(format!(
            "plan.share: {session_count} sessions from {session_first} are more than the {sessions} of the trial"
        ));
    }
    if threads > session_count {
        return Err(format!(
            "plan.threads: {threads} threads for {session_count} sessions; at most one each"
        ));
    }
    if u64::from(session_count) * u64::from(depth) > SLOTS_MAX {
        return Err(format!(
            "plan.depth: {session_count} sessions × depth {depth} is more than {SLOTS_MAX} outstanding operations"
        ));
    }
    if let Some(path) = &plan.log_path {
        let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        access(folder, AccessFlags::W_OK)
            .map_err(|error| format!("plan.logPath: {} cannot be written to: {error}", folder.display()))?;
    }
    let Client::Native { protocol } = &plan.client else {
        return Err("plan.client.kind: this is the native load client, got \"node\"".to_owned());
    };
    let known = PROTOCOLS.iter().find(|(name, _)| name == protocol);
    let Some((_, create)) = known else {
        let names = protocol_names();
        return Err(format!("plan.client.protocol: there is no protocol \"{protocol}\"; there are {names}"));
    };
    let workload = Arc::new(read_workload(&plan)?);
    let program = Program::new(&workload, sessions);
    let connector = create(&plan.endpoint, &workload)?;
    let canaries = read_canaries(&plan, &workload)?;
    let replies = Arc::new(Replies::new(&workload));
    Ok(Trial { plan, workload, program: Arc::new(program), canaries, replies, connector })
}

fn read_canaries(plan: &TrialPlan, workload: &Workload) -> Result<Vec<Values>, String> {
    let planned = plan.canaries.iter().enumerate();
    let canaries = planned.map(|(place, canary)| {
        let (first, arguments) =
            canary.as_array().and_then(|canary| canary.split_first()).ok_or("no operation")?;
        let number = first.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX);
        let operation = workload.operations.get(number as usize);
        let operation = operation.ok_or_else(|| format!("the workload has no operation {first}"))?;
        Values::parse(number, operation, arguments).map_err(|reason| format!("{place}: {reason}"))
    });
    canaries.collect::<Result<_, String>>().map_err(|reason| format!("plan.canaries: {reason}"))
}

fn read_workload(plan: &TrialPlan) -> Result<Workload, String> {
    Workload::parse(&Value::Object(plan.workload.clone())).map_err(|error| match error {
        WorkloadError::Form { path, reason } => format!("plan.workload.{path}: {reason}"),
        other => format!("plan.workload: {other}"),
    })
}
