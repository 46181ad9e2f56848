//! The trial plan and the commands after it, read as strictly as by the twin, `packages/results/src/trial-plan.ts`.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Rises when a load client written for the previous version would misread a plan or write another result.
pub const PROTOCOL_VERSION: u64 = 10;
/// 2⁵³ − 1: the largest whole number that the twin holds exactly.
const WHOLE_MAX: u64 = (1 << 53) - 1;

/// A command of the runner's.
pub enum RunnerCommand {
    /// What a process gets first.
    Plan(Box<TrialPlan>),
    /// What its trial does next.
    Order(Order),
}

/// A command after the plan; times are microseconds of the machine's monotonic clock.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Order {
    /// End the window now.
    Stop,
    /// Send the first operations then.
    Go {
        /// The time of the first operation.
        #[serde(deserialize_with = "not_negative")]
        at_us: f64,
    },
    /// The warm-up ends and the window begins.
    Window {
        /// The window's begin.
        #[serde(deserialize_with = "not_negative")]
        at_us: f64,
        /// How long the window lasts.
        #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
        window_ms: u64,
    },
}

/// Everything that a load client needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrialPlan {
    /// `PROTOCOL_VERSION`.
    #[serde(deserialize_with = "whole::<_, _, PROTOCOL_VERSION, PROTOCOL_VERSION>")]
    pub protocol: u64,
    /// Names the trial in its result.
    #[serde(deserialize_with = "not_empty")]
    pub trial_id: String,
    /// Which load client the plan is for, and how it reaches the target.
    pub client: Client,
    /// Where the target is.
    pub endpoint: Endpoint,
    /// What is sent, not yet parsed.
    pub workload: Map<String, Value>,
    /// 1 … 100,000.
    #[serde(deserialize_with = "whole::<_, _, 1, 100_000>")]
    pub sessions: u32,
    /// `None`: all sessions belong to this client.
    #[serde(deserialize_with = "Option::deserialize")]
    pub share: Option<Share>,
    /// The most requests that a session has outstanding, 1 … 65,536.
    #[serde(deserialize_with = "whole::<_, _, 1, 65_536>")]
    pub depth: u32,
    /// Operations in a request, 1 … 1,000,000: above 1 they are sent, committed and acknowledged together.
    #[serde(deserialize_with = "whole::<_, _, 1, 1_000_000>")]
    pub batch: u32,
    /// 1 … 256.
    #[serde(deserialize_with = "whole::<_, _, 1, 256>")]
    pub threads: u32,
    /// When operations start.
    #[serde(rename = "loop")]
    pub loop_kind: LoopKind,
    /// How long the parts of the trial last.
    pub timing: Timing,
    /// Uncounted operations that are sent one after the other in the timed sessions, not yet parsed; each an array:
    /// the operation's number and its arguments.
    pub canaries: Vec<Value>,
    /// Operations of the streams whose acknowledgement is reported.
    #[serde(default)]
    pub watched: Option<WatchedPlan>,
    /// Rows that another connection changes meanwhile.
    #[serde(default)]
    pub changed: Option<ChangedPlan>,
    /// The outcome log's path; `None` records none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub log_path: Option<String>,
}

/// Operations of the streams whose acknowledgement is reported at once, about one in `every_ms` of the window.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatchedPlan {
    /// Milliseconds, above 0.
    #[serde(deserialize_with = "above_zero")]
    pub every_ms: f64,
    /// Each session's number, then the numbers of its operations in its stream.
    pub operations: Vec<Vec<u32>>,
}

/// Seeded rows of a table that no operation writes, which another connection changes meanwhile.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangedPlan {
    /// The table's number.
    pub table: usize,
    /// The column's number.
    pub column: usize,
    /// Each row's number, and that of the row whose seeded value its column gets.
    pub rows: Vec<(u64, u64)>,
}

/// A client's sessions in a trial that several clients share.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Share {
    /// The first session's number.
    #[serde(deserialize_with = "whole::<_, _, 0, 100_000>")]
    pub session_first: u32,
    /// The number of sessions.
    #[serde(deserialize_with = "whole::<_, _, 1, 100_000>")]
    pub session_count: u32,
}

impl TrialPlan {
    /// The sessions of this client.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share.unwrap_or(Share { session_first: 0, session_count: self.sessions })
    }
}

/// Which twin a plan is for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Client {
    /// For Node.
    Node {
        #[doc(hidden)]
        #[serde(deserialize_with = "not_empty")]
        module: String,
    },
    /// For this program.
    Native {
        /// One of `sessions::PROTOCOLS`.
        protocol: String,
    },
}

/// A target's address.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Endpoint {
    /// With user and password, if any: never shown in full.
    pub url: String,
    /// The connector's own.
    pub options: Map<String, Value>,
}

/// Closed or open loop.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum LoopKind {
    /// Every session keeps `depth` requests outstanding.
    Closed,
    /// Operations start at a constant rate, and are timed from when they were due.
    Open {
        /// Over all sessions; above 0.
        #[serde(deserialize_with = "above_zero")]
        rate_per_second: f64,
    },
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timing {
    /// The least warm-up.
    #[serde(deserialize_with = "whole::<_, _, 0, WHOLE_MAX>")]
    pub warmup_ms: u64,
    /// It is never prolonged beyond this.
    #[serde(deserialize_with = "whole::<_, _, 0, WHOLE_MAX>")]
    pub warmup_ms_max: u64,
    /// The least window.
    #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
    pub window_ms: u64,
    /// It is never lengthened beyond this.
    #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
    pub window_ms_max: u64,
    /// How long to wait for outstanding operations at the window's end.
    #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
    pub drain_ms: u64,
    /// For connecting all sessions.
    #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
    pub connect_ms: u64,
    /// A later reply is a `timeout`.
    #[serde(deserialize_with = "whole::<_, _, 1, WHOLE_MAX>")]
    pub operation_ms: u64,
}

impl Timing {
    /// How often the warm-up is sampled: ten times in its least length.
    #[must_use]
    pub fn sample_ms(&self) -> f64 {
        (self.warmup_ms as f64 / 10.0).clamp(10.0, 1000.0)
    }
}

impl Endpoint {
    /// The URL for a message: without user and password.
    #[must_use]
    pub fn shown(&self) -> String {
        let Self { url, .. } = self;
        let Some(start) = url.find("//").map(|slashes| slashes + 2) else { return url.clone() };
        let authority_end = url[start..].find('/').map_or(url.len(), |slash| start + slash);
        match url[start..authority_end].rfind('@') {
            Some(at) => format!("{}{}", &url[..start], &url[start + at + 1..]),
            None => url.clone(),
        }
    }
}

/// Reads a line of standard input.
///
/// # Errors
/// When a field is wrong, which the error names.
pub fn read_command(line: &str) -> Result<RunnerCommand> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PlanCommand {
        #[serde(rename = "type")]
        _kind: String,
        plan: Value,
    }
    let value = parse_json(line, "standard input")?;
    if value.get("type").and_then(Value::as_str) != Some("plan") {
        return read(&value, "command").map(RunnerCommand::Order);
    }
    let PlanCommand { plan, .. } = read(&value, "command")?;
    read(&plan, "plan").map(Box::new).map(RunnerCommand::Plan)
}

fn parse_json(text: &str, place: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Error::plan(place, format!("no JSON: {error}")))
}

fn read<T: DeserializeOwned>(value: &Value, root: &str) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { root.to_owned() } else { format!("{root}.{path}") };
        Error::plan(place, error.inner().to_string())
    })
}

/// The value that `read` returns; without one, the error says what is accepted.
fn checked<'de, D: Deserializer<'de>, T>(
    from: D,
    accepts: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    read(&value).ok_or_else(|| D::Error::custom(format!("expected {accepts}, got {value}")))
}

/// As in JavaScript, 4.0 is whole.
fn whole<'de, D: Deserializer<'de>, T: TryFrom<u64>, const MIN: u64, const MAX: u64>(
    from: D,
) -> Result<T, D::Error> {
    let fits = |number: &f64| number.fract() == 0.0 && *number >= MIN as f64 && *number <= MAX as f64;
    checked(from, &format!("a whole number from {MIN} to {MAX}"), |value| {
        value.as_f64().filter(fits).and_then(|number| T::try_from(number as u64).ok())
    })
}

fn not_negative<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    checked(from, "a number of at least 0", |value| value.as_f64().filter(|number| *number >= 0.0))
}

fn above_zero<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    checked(from, "a number above 0", |value| value.as_f64().filter(|number| *number > 0.0))
}

fn not_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    checked(from, "a string that is not empty", |value| {
        value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    })
}
