//! `native bench`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::mpsc::channel;

use fair_bench_workload_transfer::{Parameters, Transfer, decode_nets};
use serde_json::Value;

use super::Failure;
use super::arguments::BenchArguments;
use super::database::balances;
use crate::engine::Trial;
use crate::output::{TrialEvent, write_error_line};
use crate::plan::{Client, Endpoint, LoopKind, Timing, TrialPlan, Workload};
use crate::sessions::{PROTOCOLS, protocol_names};
use crate::trial::{Context, EncodedLedger, Outcome, run_trial};

const AMOUNT_MAX: u32 = 1000;
const DRAIN_MS: u64 = 30_000;
const CONNECT_MS: u64 = 60_000;
const OPERATION_MS: u64 = 30_000;

pub(super) fn bench(arguments: &BenchArguments) -> Result<String, Failure> {
    let trial = trial_of(arguments)?;
    let balances_url = balances_url(arguments)?;
    let before = balances(balances_url)?;
    if !before.keys().copied().eq(0..arguments.accounts as i64) {
        return Err(Failure::BadInput(format!(
            "--accounts: got {}, and the database has {} accounts; seed it with native seed --accounts {0}",
            arguments.accounts,
            before.len()
        )));
    }
    let (_never, stop) = channel();
    let emit = |event: TrialEvent| {
        if let TrialEvent::Progress(phase, elapsed, counts) = event {
            let seconds = elapsed / crate::clock::SECOND;
            write_error_line(&format!("{} {seconds} s: {} applied", phase.name(), counts.applied));
        }
    };
    let outcome = run_trial(trial, &Context { emit: &emit, stop: &stop })?;
    let after = balances(balances_url)?;
    let ledger = outcome.ledger.as_ref().ok_or_else(|| "the trial kept no ledger".to_owned())?;
    let checked =
        check(&before, &after, ledger).map_err(|reason| format!("no number: {reason}; this load is void"))?;
    report(arguments, &outcome, &checked)
        .map_err(|_| Failure::Failed("the report cannot be written".to_owned()))
}

fn protocol_of(url: &str) -> Option<&'static str> {
    match url.split_once("://")?.0 {
        "postgres" | "postgresql" => Some("postgres"),
        "http" => Some("http-rpc"),
        _ => None,
    }
}

fn trial_of(arguments: &BenchArguments) -> Result<Trial, Failure> {
    let BenchArguments { sessions, depth, threads, .. } = *arguments;
    let bad = |reason: String| Failure::BadInput(reason);
    let protocol = protocol_of(&arguments.url)
        .ok_or_else(|| bad("--url: accepts postgres://… and http://HOST:PORT".to_owned()))?;
    if threads > sessions {
        return Err(bad(format!(
            "--threads: got {threads}, accepts at most one for each of {sessions} sessions"
        )));
    }
    if u64::from(sessions) * u64::from(depth) > 1_000_000 {
        return Err(bad(format!(
            "--depth: got {depth}, accepts at most 1000000 outstanding over all sessions"
        )));
    }
    let endpoint = Endpoint { url: arguments.url.clone(), options: serde_json::Map::new() };
    let known = PROTOCOLS.iter().find(|(name, _)| *name == protocol);
    let (_, create) = known.ok_or_else(|| bad(format!("--url: speaks {}", protocol_names())))?;
    let connector = create(&endpoint).map_err(bad)?;
    let warmup_ms = arguments.warmup.as_millis() as u64;
    let plan = TrialPlan {
        trial_id: "by-hand".to_owned(),
        client: Client::Native { protocol: protocol.to_owned() },
        endpoint,
        workload: Workload { name: "transfer".to_owned(), parameters: serde_json::Map::new() },
        sessions,
        depth,
        threads,
        loop_kind: arguments
            .rate
            .map_or(LoopKind::Closed, |rate_per_second| LoopKind::Open { rate_per_second }),
        timing: Timing {
            warmup_ms,
            warmup_ms_max: warmup_ms,
            window_ms: arguments.duration.as_millis() as u64,
            drain_ms: DRAIN_MS,
            connect_ms: CONNECT_MS,
            operation_ms: OPERATION_MS,
        },
        // Kept, and checked here; nobody reads the file.
        ledger_path: Some("/dev/null".to_owned()),
    };
    let parameters = Parameters {
        seed: arguments.seed,
        accounts: arguments.accounts,
        initial_balance: 0,
        alpha: arguments.alpha,
        scramble: true,
        amount_max: AMOUNT_MAX,
    };
    Ok(Trial { plan, parameters, connector })
}

fn balances_url(arguments: &BenchArguments) -> Result<&str, Failure> {
    let url = arguments.balances_url.as_deref().unwrap_or(&arguments.url);
    if protocol_of(url) == Some("postgres") {
        return Ok(url);
    }
    Err(Failure::BadInput(
        "--balances-url: accepts the postgres://… of the RPC server's database; without it nothing could be checked"
            .to_owned(),
    ))
}

/// Every balance has to be what it was before and what the ledger says, within what the operations in doubt can
/// explain. Says what was found.
fn check(
    before: &BTreeMap<i64, i64>,
    after: &BTreeMap<i64, i64>,
    ledger: &EncodedLedger,
) -> Result<String, String> {
    let (applied, nets) = decode_nets(&ledger.bytes).map_err(|error| error.to_string())?;
    if !before.keys().eq(after.keys()) {
        return Err(format!("there were {} accounts and are {}", before.len(), after.len()));
    }
    // What is unexplained, and by how much the operations in doubt may lower and raise it.
    let mut differences: BTreeMap<i64, (i128, i128, i128)> = BTreeMap::new();
    for (id, balance) in after {
        let was = before.get(id).copied().unwrap_or_default();
        differences.insert(*id, (i128::from(*balance) - i128::from(was), 0, 0));
    }
    for (account, net) in nets {
        if let Some((difference, ..)) = differences.get_mut(&i64::from(account)) {
            *difference -= i128::from(net);
        }
    }
    for Transfer { source, target, amount } in &ledger.in_doubt {
        if let Some((_, low, _)) = differences.get_mut(&i64::from(*source)) {
            *low -= i128::from(*amount);
        }
        if let Some((_, _, high)) = differences.get_mut(&i64::from(*target)) {
            *high += i128::from(*amount);
        }
    }
    let outside = |(difference, low, high): (i128, i128, i128)| difference < low || difference > high;
    let wrong: Vec<_> = differences.iter().filter(|(_, bounds)| outside(**bounds)).collect();
    if let Some((id, (difference, ..))) = wrong.first() {
        let count = wrong.len();
        return Err(format!("{count} balances differ from the ledger, first account {id} by {difference}"));
    }
    if differences.values().map(|(difference, ..)| difference).sum::<i128>() != 0 {
        return Err("money was made or lost".to_owned());
    }
    let doubt = match ledger.in_doubt.len() {
        0 => String::new(),
        count => format!(", within what {count} transfers in doubt can explain"),
    };
    Ok(format!("{} balances are what {applied} applied transfers make them{doubt}", after.len()))
}

fn report(arguments: &BenchArguments, outcome: &Outcome, checked: &str) -> Result<String, std::fmt::Error> {
    let result = &outcome.result;
    let number = |pointer: &str| result.pointer(pointer).and_then(Value::as_f64).unwrap_or_default();
    let window_ms = number("/timing/windowMs");
    let applied = number("/window/applied");
    let mut text = String::new();
    writeln!(
        text,
        "load        {} sessions × depth {}, {} threads, alpha {}, {} accounts, seed {}",
        arguments.sessions,
        arguments.depth,
        arguments.threads,
        arguments.alpha,
        arguments.accounts,
        arguments.seed
    )?;
    writeln!(
        text,
        "throughput  {:.1} applied/s over {:.3} s",
        applied / window_ms * 1000.0,
        window_ms / 1000.0
    )?;
    if let Some(mean) = outcome.applied.mean_ms() {
        write!(text, "latency ms  mean {mean:.3}")?;
        for (name, percentile) in [("p50", 50.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9)] {
            let value = outcome.applied.percentile_ms(percentile).unwrap_or_default();
            write!(text, "  {name} {value:.3}")?;
        }
        writeln!(text, "  max {:.3}", outcome.applied.max_ms())?;
    }
    let counts = |pointer: &str| result.pointer(pointer).map(Value::to_string).unwrap_or_default();
    writeln!(
        text,
        "outcomes    applied {applied}, declined {}, faults {}, in doubt {}",
        counts("/window/declined"),
        counts("/window/faults"),
        number("/window/inDoubt")
    )?;
    let per_operation = |pointer: &str| number(pointer) / applied.max(1.0);
    writeln!(
        text,
        "client CPU  {:.2} µs user + {:.2} µs system for each applied; {:.1} MiB resident",
        per_operation("/effort/cpuUserUs"),
        per_operation("/effort/cpuSystemUs"),
        number("/effort/rssBytesMax") / f64::from(1 << 20)
    )?;
    writeln!(text, "audit       {checked}")?;
    Ok(text)
}
