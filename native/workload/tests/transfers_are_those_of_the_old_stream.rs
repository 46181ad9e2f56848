//! A stream by description against the vectors of `packages/workload-transfer`.

#![allow(clippy::unwrap_used, reason = "vectors that cannot be read are a failed test")]

use std::sync::Arc;

use fair_bench_workload::{Description, Program, Stream, Values, Workload};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn golden() -> Value {
    let vectors = include_str!("../../../packages/workload-transfer/test/fixtures/golden-vectors.json");
    serde_json::from_str(vectors).unwrap()
}

fn stream(case: &Value) -> Stream {
    let description: Value = serde_json::from_str(include_str!("transfer.json")).unwrap();
    let description = Description::parse(&description).unwrap();
    let workload = Workload::resolve(&description, case["parameters"].as_object().unwrap()).unwrap();
    let program = Program::new(&workload, 1).unwrap();
    Stream::new(&Arc::new(program), case["session"].as_u64().unwrap() as u32)
}

#[test]
fn the_first_operations() {
    for case in golden()["operations"].as_array().unwrap() {
        let (mut stream, mut values) = (stream(case), Values::default());
        for expected in case["operations"].as_array().unwrap() {
            stream.next(&mut values).unwrap();
            let expected: Vec<u64> = expected.as_array().unwrap().iter().flat_map(Value::as_u64).collect();
            assert_eq!(values.words(), expected, "{}", case["parameters"]);
        }
    }
}

#[test]
fn the_digests_of_a_hundred_thousand_operations() {
    for case in golden()["digests"].as_array().unwrap() {
        let (mut stream, mut values) = (stream(case), Values::default());
        let mut hash = Sha256::new();
        for _ in 0..case["operations"].as_u64().unwrap() {
            stream.next(&mut values).unwrap();
            let [source, target, amount] = *values.words() else { panic!("three arguments") };
            hash.update((source as u32).to_le_bytes());
            hash.update((target as u32).to_le_bytes());
            hash.update(amount.to_le_bytes());
        }
        let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, case["sha256"].as_str().unwrap(), "{}", case["parameters"]);
    }
}
