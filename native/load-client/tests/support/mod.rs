//! Trials against doubles, in this process.

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fair_bench_load_client::engine::{Inbox, Trial};
use fair_bench_load_client::error::Result;
use fair_bench_load_client::output::TrialEvent;
use fair_bench_load_client::plan::{Client, Endpoint, LoopKind, Order, PROTOCOL_VERSION, Timing, TrialPlan};
use fair_bench_load_client::sessions::{Connector, PROTOCOLS};
use fair_bench_load_client::trial::{Context, run_load};
use fair_bench_workload::{Program, Replies, Workload};
use serde_json::{Map, Value};

/// Transfers, uniform over many accounts.
pub(crate) fn workload() -> Arc<Workload> {
    let vectors = include_str!("../../../../packages/workload/vectors/planned.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let planned = serde_json::from_str(vectors["transfer"][0].as_str().unwrap()).unwrap();
    Arc::new(Workload::parse(&planned).unwrap())
}

/// A short trial of one session.
pub(crate) fn plan(url: &str, depth: u32) -> TrialPlan {
    TrialPlan {
        protocol: PROTOCOL_VERSION,
        trial_id: "trial-on-doubles".to_owned(),
        client: Client::Native { protocol: "double".to_owned() },
        endpoint: Endpoint { url: url.to_owned(), options: Map::new() },
        workload: Map::new(),
        sessions: 1,
        share: None,
        depth,
        batch: 1,
        threads: 1,
        loop_kind: LoopKind::Closed,
        timing: Timing {
            warmup_ms: 50,
            warmup_ms_max: 50,
            window_ms: 400,
            window_ms_max: 400,
            drain_ms: 300,
            connect_ms: 2000,
            operation_ms: 1000,
        },
        canaries: Vec::new(),
        watched: None,
        changed: None,
        log_path: Some(log_path()),
    }
}

fn log_path() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}/log-{}-{number}", env!("CARGO_TARGET_TMPDIR"), std::process::id())
}

/// How many operations the log of the one session says were drawn, and how many of them are in doubt. Removes the file.
pub(crate) fn drawn_and_in_doubt(result: &Value) -> (u64, u64) {
    let path = result.pointer("/log/path").and_then(Value::as_str).unwrap();
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let (drawn, exceptions) = (words[4], words[9] as usize);
    let entries = words[15..15 + exceptions].chunks_exact(2);
    (u64::from(drawn), entries.filter(|entry| entry[1] >> 8 & 255 == 2).count() as u64)
}

/// Runs a trial by a protocol of the client's.
pub(crate) fn run_by(protocol: &str, plan: TrialPlan) -> Result<Value> {
    let (_, create) = PROTOCOLS.iter().find(|(name, _)| *name == protocol).unwrap();
    let connector = create(&plan.endpoint, &workload());
    run(connector, plan)
}

/// Runs a trial by any connector.
pub(crate) fn run(connector: Box<dyn Connector>, plan: TrialPlan) -> Result<Value> {
    let workload = workload();
    let program = Arc::new(Program::new(&workload, plan.sessions));
    let replies = Arc::new(Replies::new(&workload));
    let trial = Trial { plan, workload, program, canaries: Vec::new(), replies, connector };
    let inbox = Inbox::default();
    let (order, window_ms) = (inbox.orders(), trial.plan.timing.window_ms);
    // The leader of a trial whose warm-up is over at its first sample.
    let emit = move |event: TrialEvent| match event {
        TrialEvent::Ready { .. } => order(Order::Go { at_us: 0.0 }),
        TrialEvent::Sample { .. } => order(Order::Window { at_us: 0.0, window_ms }),
        _ => {}
    };
    run_load(trial, &Context { emit: &emit, inbox: &inbox })
}
