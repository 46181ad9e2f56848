//! The outcome log keeps the same parts of replies as the Node client's, and finds the same mistakes:
//! `packages/workload/vectors`.

#![allow(clippy::unwrap_used, reason = "vectors that cannot be read are a failed test")]

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fair_bench_workload::{
    ChangedRows, LOG_BYTES_MAX, Log, Logged, Operation, Program, Replies, Reply, Returns, Stream, Type,
    Values, Workload,
};
use serde_json::{Value, json};

#[test]
fn what_is_kept_of_replies_is_the_same_to_the_bit() {
    let planned = &vectors("planned")["outcome-log"];
    for (case, planned) in vectors("outcome-log").as_array().unwrap().iter().zip(planned.as_array().unwrap())
    {
        let planned = serde_json::from_str(planned.as_str().unwrap()).unwrap();
        let workload = Arc::new(Workload::parse(&planned).unwrap());
        let [session, sessions] = ["session", "sessions"].map(|name| case[name].as_u64().unwrap() as u32);
        let mut stream = Stream::new(&Arc::new(Program::new(&workload, sessions)), session);
        let replies = Arc::new(Replies::new(&workload).with_changed(changed_in(&case["changed"], &workload)));
        let mut log = Log::new(&replies, (session, 1), sessions, LOG_BYTES_MAX);
        let mut values = Values::default();
        for (sequence, outcome) in (0..).zip(case["outcomes"].as_array().unwrap()) {
            stream.next(&mut values).unwrap();
            log.drawn(0, &mut values);
            let operation = &workload.operations[values.operation as usize];
            let reply = reply_of(operation, outcome);
            let logged = (logged_of(operation, outcome), reply.as_ref());
            log.settled(0, &values, logged, [10_000 * sequence + 999, 10_000 * sequence + 4_001]);
        }
        assert_eq!(json!(parts_of(&log.encode())), case["log"], "{}", workload.name);
    }
}

fn changed_in(changed: &Value, workload: &Workload) -> Option<ChangedRows> {
    let rows = changed["rows"].as_array()?.iter().map(|pair| [0, 1].map(|at| pair[at].as_u64().unwrap()));
    let place = ["table", "column"].map(|name| changed[name].as_u64().unwrap() as usize);
    ChangedRows::new(workload, place.into(), rows.map(|[row, like]| (row, like)))
}

fn vectors(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/workload/vectors");
    serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap()).unwrap()
}

/// Header without lengths, mistakes, exceptions, times up to the last, reads, scans, fields: words.
fn parts_of(log: &[u8]) -> Vec<Vec<u32>> {
    let mut words = log.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let header: Vec<u32> = words.by_ref().take(13).collect();
    let lengths = std::iter::once(header[6].div_ceil(4)).chain(header[7..12].iter().copied());
    let mut parts = vec![header[..7].to_vec()];
    parts.extend(lengths.map(|length| words.by_ref().take(length as usize).collect()));
    while parts[3].last() == Some(&0) {
        parts[3].pop();
    }
    parts
}

fn logged_of(operation: &Operation, outcome: &Value) -> Logged {
    // Their places in the contract's `faultCodes`.
    let codes = [("timeout", 0), ("invalid-request", 6), ("server-error", 8)];
    let fault = codes.iter().find(|(name, _)| outcome["fault"] == **name);
    match (fault, outcome["declined"].as_str()) {
        (Some((_, code)), _) if outcome["inDoubt"] == true => Logged::InDoubt(*code),
        (Some((_, code)), _) => Logged::Fault(*code),
        (_, Some(reason)) => Logged::Declined(operation.reason(reason).unwrap()),
        _ => Logged::Applied,
    }
}

fn reply_of(operation: &Operation, outcome: &Value) -> Option<Reply> {
    let columns = &operation.columns;
    let rows = match operation.returns {
        Returns::Nothing => return None,
        Returns::Fields { .. } => std::slice::from_ref(outcome.get("fields")?),
        _ => outcome["rows"].as_array()?.as_slice(),
    };
    let mut reply = Reply::new(columns.len());
    for row in rows {
        put_row(columns, row.as_array().unwrap(), &mut reply);
    }
    Some(reply)
}

fn put_row(columns: &[Type], row: &[Value], reply: &mut Reply) {
    for (kind, value) in columns.iter().zip(row) {
        match (kind, value.as_str()) {
            (Type::Key, _) => reply.push(value.as_u64().unwrap()),
            (Type::Bool, _) => reply.push(u64::from(value == true)),
            (Type::Int64, text) => reply.push(text.unwrap().parse::<i64>().unwrap() as u64),
            (Type::Text { .. }, text) => reply.push_content(text.unwrap().as_bytes()),
            (Type::Bytes { .. }, text) => reply.push_content(&STANDARD.decode(text.unwrap()).unwrap()),
        }
    }
}
