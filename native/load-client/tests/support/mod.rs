//! Trials against doubles, in this process.

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use fair_bench_load_client::engine::Trial;
use fair_bench_load_client::plan::{Client, Endpoint, LoopKind, PlannedWorkload, Timing, TrialPlan};
use fair_bench_load_client::sessions::{Connector, PROTOCOLS};
use fair_bench_load_client::trial::{Context, run_trial};
use fair_bench_workload::{Description, Program, Workload};
use serde_json::{Value, json};

/// Transfers, uniform over few accounts.
pub(crate) fn workload() -> Arc<Workload> {
    let description = include_str!("../../../workload/tests/transfer.json");
    let description = Description::parse(&serde_json::from_str(description).unwrap()).unwrap();
    let parameters = json!({
        "seed": "42", "accounts": 1000, "initialBalance": "1000000", "alpha": 0, "scramble": true, "amountMax": 1000,
    });
    Arc::new(Workload::resolve(&description, parameters.as_object().unwrap()).unwrap())
}

/// A short trial of one session.
pub(crate) fn plan(url: &str, depth: u32) -> TrialPlan {
    TrialPlan {
        trial_id: "trial-on-doubles".to_owned(),
        client: Client::Native { protocol: "double".to_owned() },
        endpoint: Endpoint { url: url.to_owned(), options: serde_json::Map::new() },
        workload: PlannedWorkload { name: "transfer".to_owned(), parameters: serde_json::Map::new() },
        sessions: 1,
        depth,
        threads: 1,
        loop_kind: LoopKind::Closed,
        timing: Timing {
            warmup_ms: 50,
            warmup_ms_max: 50,
            window_ms: 400,
            drain_ms: 300,
            connect_ms: 2000,
            operation_ms: 1000,
        },
        ledger_path: Some(ledger_path()),
    }
}

fn ledger_path() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}/ledger-{}-{number}", env!("CARGO_TARGET_TMPDIR"), std::process::id())
}

/// How many operations the ledger's file has as applied. Removes the file.
pub(crate) fn applied_in_ledger(result: &Value) -> u64 {
    let path = result.pointer("/ledger/path").and_then(Value::as_str).unwrap();
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    u64::from_le_bytes(*bytes[8..].first_chunk().unwrap())
}

/// Runs a trial by a protocol of the client's.
pub(crate) fn run_by(protocol: &str, plan: TrialPlan) -> Result<Value, String> {
    let (_, create) = PROTOCOLS.iter().find(|(name, _)| *name == protocol).unwrap();
    let connector = create(&plan.endpoint, &workload()).unwrap();
    run(connector, plan)
}

/// Runs a trial by any connector.
pub(crate) fn run(connector: Box<dyn Connector>, plan: TrialPlan) -> Result<Value, String> {
    let (_never, stop) = channel();
    let workload = workload();
    let program = Arc::new(Program::new(&workload, plan.sessions).unwrap());
    let accounts = workload.seeded_rows(0);
    let trial = Trial { plan, workload, program, accounts, connector };
    run_trial(trial, &Context { emit: &|_| {}, stop: &stop })
}
