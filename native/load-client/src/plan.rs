//! The trial plan: the twin of `packages/contract/src/trial-plan.ts`.

use serde_json::{Map, Value};

/// Rises when a load client written for the version before would misread a plan or write another result.
pub const PROTOCOL_VERSION: u64 = 4;

/// All that a load client needs to know.
#[derive(Clone, Debug)]
pub struct TrialPlan {
    /// Names the trial in its result.
    pub trial_id: String,
    /// Which load client this plan is for, and how it reaches the target.
    pub client: Client,
    /// Where the target is.
    pub endpoint: Endpoint,
    /// What is sent.
    pub workload: PlannedWorkload,
    /// 1 … 100,000.
    pub sessions: u32,
    /// `None`: all sessions are this client's, and it says itself when the trial and its window begin.
    pub share: Option<Share>,
    /// The most operations that a session has outstanding, 1 … 65,536.
    pub depth: u32,
    /// 1 … 256.
    pub threads: u32,
    /// When operations start.
    pub loop_kind: LoopKind,
    /// How long the parts of the trial last.
    pub timing: Timing,
    /// Operations that are in no number; `None` sends none.
    pub canaries: Option<PlannedCanaries>,
    /// Where the outcome log goes; `None` records none.
    pub log_path: Option<String>,
}

/// A client's sessions of a trial that several carry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// The first session's number.
    pub session_first: u32,
    /// How many.
    pub session_count: u32,
}

impl TrialPlan {
    /// The sessions that this client carries.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share.unwrap_or(Share { session_first: 0, session_count: self.sessions })
    }
}

/// Operations that are sent one after the other in the timed sessions, not yet parsed.
#[derive(Clone, Debug, Default)]
pub struct PlannedCanaries {
    /// How far apart they are sent.
    pub every_ms: u64,
    /// Each an array: the operation's number and its arguments.
    pub operations: Vec<Value>,
}

/// Which twin a plan is for.
#[derive(Clone, Debug, Default)]
pub enum Client {
    /// The other one.
    #[default]
    Node,
    /// This one, with the name of a protocol.
    Native {
        /// One of `sessions::PROTOCOLS`.
        protocol: String,
    },
}

/// A target's address.
#[derive(Clone, Debug, Default)]
pub struct Endpoint {
    /// With user and password, where there are any: never shown as it is.
    pub url: String,
    /// The connector's own.
    pub options: Map<String, Value>,
}

/// The workload, not yet parsed.
#[derive(Clone, Debug, Default)]
pub struct PlannedWorkload {
    /// A description, as JSON.
    pub description: Map<String, Value>,
    /// Each of its parameters, and `seed`.
    pub parameters: Map<String, Value>,
}

/// Closed or open loop.
#[derive(Clone, Copy, Debug, Default)]
pub enum LoopKind {
    /// Every session keeps `depth` operations outstanding.
    #[default]
    Closed,
    /// Operations start at a constant rate, and are timed from when they were due.
    Open {
        /// Over all sessions; above 0.
        rate_per_second: f64,
    },
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// The least warm-up.
    pub warmup_ms: u64,
    /// Up to here it is prolonged while throughput is not steady.
    pub warmup_ms_max: u64,
    /// The window's exact length.
    pub window_ms: u64,
    /// How long to wait for what is outstanding at the window's end.
    pub drain_ms: u64,
    /// For connecting all sessions.
    pub connect_ms: u64,
    /// A later reply is a `timeout`.
    pub operation_ms: u64,
}

impl Endpoint {
    /// The URL fit for a message: without user and password.
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
