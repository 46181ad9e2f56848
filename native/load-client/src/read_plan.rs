//! From JSON to a trial plan, as strict as the twin's schema.

use serde_json::Value;

use crate::fields::Fields;
use crate::plan::{Client, Endpoint, LoopKind, PROTOCOL_VERSION, PlannedWorkload, Timing, TrialPlan};

const SESSIONS_MAX: u64 = 100_000;
const DEPTH_MAX: u64 = 65_536;
const THREADS_MAX: u64 = 256;

/// A command of the runner's.
pub enum Command {
    /// The first.
    Plan(Box<TrialPlan>),
    /// End the window now.
    Stop,
}

/// Reads a line of standard input.
///
/// # Errors
/// One line that names the fields.
pub fn read_command(line: &str) -> Result<Command, String> {
    let value = parse_json(line, "standard input")?;
    let mut fields = Fields::of(&value, "command")?;
    let kind = fields.text("type", "\"plan\" or \"stop\"", |kind| matches!(kind, "plan" | "stop"));
    match kind.as_str() {
        "plan" => {
            let plan = fields.object("plan");
            fields.finish(())?;
            read_plan(&Value::Object(plan)).map(|plan| Command::Plan(Box::new(plan)))
        }
        _ => fields.finish(Command::Stop),
    }
}

/// Reads the plan of a file.
///
/// # Errors
/// One line that names the fields.
pub fn read_plan_file(text: &str, path: &str) -> Result<TrialPlan, String> {
    read_plan(&parse_json(text, &format!("--plan: {path}"))?)
}

fn parse_json(text: &str, place: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{place}: no JSON: {error}"))
}

fn read_plan(value: &Value) -> Result<TrialPlan, String> {
    let mut fields = Fields::of(value, "plan")?;
    fields.whole("protocol", PROTOCOL_VERSION, Some(PROTOCOL_VERSION));
    let plan = TrialPlan {
        trial_id: fields.text("trialId", "a string that is not empty", not_empty),
        client: fields.nested("client", read_client),
        endpoint: fields.nested("endpoint", |endpoint| Endpoint {
            url: endpoint.text("url", "a string", |_| true),
            options: endpoint.object("options"),
        }),
        workload: fields.nested("workload", |workload| PlannedWorkload {
            description: workload.object("description"),
            parameters: workload.object("parameters"),
        }),
        sessions: fields.whole("sessions", 1, Some(SESSIONS_MAX)) as u32,
        depth: fields.whole("depth", 1, Some(DEPTH_MAX)) as u32,
        threads: fields.whole("threads", 1, Some(THREADS_MAX)) as u32,
        loop_kind: fields.nested("loop", read_loop),
        timing: fields.nested("timing", |timing| Timing {
            warmup_ms: timing.whole("warmupMs", 0, None),
            warmup_ms_max: timing.whole("warmupMsMax", 0, None),
            window_ms: timing.whole("windowMs", 1, None),
            drain_ms: timing.whole("drainMs", 1, None),
            connect_ms: timing.whole("connectMs", 1, None),
            operation_ms: timing.whole("operationMs", 1, None),
        }),
        log_path: fields.text_or_null("logPath"),
    };
    fields.finish(plan)
}

fn read_client(client: &mut Fields<'_>) -> Client {
    let kind = client.text("kind", "\"node\" or \"native\"", |kind| matches!(kind, "node" | "native"));
    if kind == "node" {
        client.text("module", "a string that is not empty", not_empty);
        return Client::Node;
    }
    Client::Native { protocol: client.text("protocol", NAME, is_name) }
}

fn read_loop(fields: &mut Fields<'_>) -> LoopKind {
    let kind = fields.text("kind", "\"closed\" or \"open\"", |kind| matches!(kind, "closed" | "open"));
    match kind.as_str() {
        "open" => LoopKind::Open { rate_per_second: fields.positive("ratePerSecond") },
        _ => LoopKind::Closed,
    }
}

const NAME: &str = "lower-case words joined by \"-\"";

/// `[a-z][a-z0-9]*(-[a-z0-9]+)*`
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

fn not_empty(text: &str) -> bool {
    !text.is_empty()
}
