//! From JSON to a trial plan, as strict as the twin's schema.

use serde_json::Value;

use crate::fields::Fields;
use crate::plan::{
    Client, Endpoint, LoopKind, PROTOCOL_VERSION, PlannedCanaries, PlannedWorkload, Share, Timing, TrialPlan,
};

const SESSIONS_MAX: u64 = 100_000;
const DEPTH_MAX: u64 = 65_536;
const THREADS_MAX: u64 = 256;

/// A command of the runner's.
pub enum Command {
    /// The first.
    Plan(Box<TrialPlan>),
    /// What comes after it.
    Order(Order),
}

/// A command for a trial that has its plan.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// End the window now.
    Stop,
    /// For a share: send the first operations at that time of the machine's monotonic clock.
    Go {
        /// Microseconds.
        at_us: f64,
    },
    /// For a share: the warm-up ends and the window begins.
    Window {
        /// Microseconds.
        at_us: f64,
        /// Whether throughput is steady.
        steady: bool,
    },
}

/// Reads a line of standard input.
///
/// # Errors
/// One line that names the fields.
pub fn read_command(line: &str) -> Result<Command, String> {
    let value = parse_json(line, "standard input")?;
    let mut fields = Fields::of(&value, "command")?;
    const KINDS: [&str; 4] = ["plan", "stop", "go", "window"];
    let kind = fields.text("type", "\"plan\", \"stop\", \"go\" or \"window\"", |kind| KINDS.contains(&kind));
    match kind.as_str() {
        "plan" => {
            let plan = fields.object("plan");
            fields.finish(())?;
            read_plan(&Value::Object(plan)).map(|plan| Command::Plan(Box::new(plan)))
        }
        "go" => {
            let at_us = fields.least("atUs", 0.0);
            fields.finish(Command::Order(Order::Go { at_us }))
        }
        "window" => {
            let (at_us, steady) = (fields.least("atUs", 0.0), fields.truth("steady"));
            fields.finish(Command::Order(Order::Window { at_us, steady }))
        }
        _ => fields.finish(Command::Order(Order::Stop)),
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
        share: fields.nested_or_null("share", |share| Share {
            session_first: share.whole("sessionFirst", 0, Some(SESSIONS_MAX)) as u32,
            session_count: share.whole("sessionCount", 1, Some(SESSIONS_MAX)) as u32,
        }),
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
        canaries: fields.nested_or_null("canaries", |canaries| PlannedCanaries {
            every_ms: canaries.whole("everyMs", 1, None),
            operations: canaries.array("operations"),
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
