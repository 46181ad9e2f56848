//! A short trial of one session on an engine, without a runner around it.

use std::path::Path;
use std::sync::Arc;

use fair_bench_engines::engine::{Durability, Engine, Finish, Handle, Settings, Write};
use fair_bench_engines::program::Steps;
use fair_bench_engines::session::connector;
use fair_bench_load_client::engine::{Inbox, Trial};
use fair_bench_load_client::output::TrialEvent;
use fair_bench_load_client::plan::{Client, Endpoint, LoopKind, Order, PROTOCOL_VERSION, Timing, TrialPlan};
use fair_bench_load_client::trial::{Context, run_load};
use fair_bench_workload::{Program, Replies, Workload};
use serde_json::{Map, Value, json};

/// Where the outcome log says how many replies were wrong.
const MISTAKES: std::ops::Range<usize> = 28..32;

/// A workload as a plan has it, and its operations as steps over rows.
pub(crate) struct Planned {
    /// The description with its parameters in it.
    pub(crate) json: Value,
    /// The same, compiled.
    pub(crate) workload: Arc<Workload>,
    /// As an endpoint's options have them.
    pub(crate) steps: Value,
}

impl Planned {
    /// Of their JSON.
    pub(crate) fn new(json: Value, steps: Value) -> Self {
        let workload = Arc::new(Workload::parse(&json).unwrap());
        Self { json, workload, steps }
    }

    /// The rows that the first table is seeded with.
    pub(crate) fn rows(&self) -> u64 {
        self.json["tables"][0]["rows"].as_u64().unwrap()
    }

    /// Puts the seeded rows of the first table into an engine.
    pub(crate) fn load<E: Engine>(&self, folder: &Path) {
        let replies = Replies::new(&self.workload);
        let tables = Steps::parse(&self.steps).unwrap().stored().unwrap();
        let columns = self.json["tables"][0]["columns"].as_array().unwrap();
        let seeded = |row: u64| {
            let cell = |(place, column): (usize, &Value)| match column["type"]["kind"].as_str() {
                Some("key") => json!(row),
                Some("text") => json!(String::from_utf8(replies.seeded_content((0, place), row)).unwrap()),
                _ => json!("0"),
            };
            columns.iter().enumerate().map(cell).collect::<Vec<_>>()
        };
        let engine = E::open(&settings(folder)).unwrap();
        let mut handle = engine.handle().unwrap();
        let (mut key, mut value) = (Vec::new(), Vec::new());
        let loaded = handle.write(|writer| {
            for row in 0..self.rows() {
                tables[0].parse_row(&seeded(row), &mut key, &mut value).unwrap();
                writer.put(&key, &value)?;
            }
            Ok(Finish::Commit(()))
        });
        loaded.unwrap();
    }

    /// How many operations a window of so many milliseconds has. With a log every reply is verified, and must be right.
    pub(crate) fn applied<E: Engine>(&self, folder: &Path, (window_ms, verified): (u64, bool)) -> u64 {
        let log = folder.join("log");
        let Value::Object(options) = json!({
            "settings": { "directory": folder, "durability": "async", "cacheMb": 256 },
            "steps": self.steps,
        }) else {
            unreachable!()
        };
        let endpoint = Endpoint { url: "file:///".to_owned(), options };
        let trial = Trial {
            connector: connector::<E>(&endpoint, &self.workload),
            plan: plan(endpoint, window_ms, verified.then(|| log.to_str().unwrap().to_owned())),
            workload: Arc::clone(&self.workload),
            program: Arc::new(Program::new(&self.workload, 1)),
            canaries: Vec::new(),
            replies: Arc::new(Replies::new(&self.workload)),
        };
        let inbox = Inbox::default();
        let order = inbox.orders();
        let emit = move |event: TrialEvent| match event {
            TrialEvent::Ready { .. } => order(Order::Go { at_us: 0.0 }),
            TrialEvent::Sample { .. } => order(Order::Window { at_us: 0.0, window_ms }),
            _ => {}
        };
        let result = run_load(trial, &Context { emit: &emit, inbox: &inbox }).unwrap();
        if verified {
            let bytes = std::fs::read(&log).unwrap();
            let mistakes = u32::from_le_bytes(bytes[MISTAKES].try_into().unwrap());
            assert_eq!(mistakes, 0, "every reply is a row that was written");
        }
        result["window"]["applied"].as_u64().unwrap()
    }
}

fn settings(folder: &Path) -> Settings {
    Settings { directory: folder.to_owned(), durability: Durability::Async, cache_mb: 256 }
}

fn plan(endpoint: Endpoint, window_ms: u64, log_path: Option<String>) -> TrialPlan {
    TrialPlan {
        protocol: PROTOCOL_VERSION,
        trial_id: "alone".to_owned(),
        client: Client::Native { protocol: "engine".to_owned() },
        endpoint,
        workload: Map::new(),
        sessions: 1,
        share: None,
        depth: 1,
        batch: 1,
        threads: 1,
        loop_kind: LoopKind::Closed,
        timing: Timing {
            warmup_ms: 300,
            warmup_ms_max: 300,
            window_ms,
            window_ms_max: window_ms,
            drain_ms: 1_000,
            connect_ms: 10_000,
            operation_ms: 1_000,
        },
        canaries: Vec::new(),
        watched: None,
        changed: None,
        log_path,
    }
}
