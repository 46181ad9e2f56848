//! The vectors are those of the Node client: `packages/workload-transfer/test/fixtures/golden-vectors.json`.

#![allow(clippy::unwrap_used, reason = "vectors that cannot be read are a failed test")]

use std::sync::Arc;

use fair_bench_workload::parts::*;
use fair_bench_workload_transfer::{Parameters, Shared, Stream};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn golden() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../packages/workload-transfer/test/fixtures/golden-vectors.json"
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    items(value).iter().map(|number| number.as_u64().unwrap()).collect()
}

fn double(value: &Value) -> f64 {
    f64::from_bits(u64::from_str_radix(value.as_str().unwrap(), 16).unwrap())
}

fn stream(case: &Value) -> Stream {
    let parameters = Parameters::parse(case["parameters"].as_object().unwrap()).unwrap();
    Stream::new(&Arc::new(Shared::new(&parameters)), case["session"].as_u64().unwrap() as u32)
}

#[test]
fn seed_words_are_reproduced() {
    for case in items(&golden()["seedWords"]) {
        let seed = case["seed"].as_str().unwrap().parse().unwrap();
        let session = case["session"].as_u64().unwrap();
        let operations = seed_words::<4>(seed, session, Purpose::Operations).map(u64::from);
        let permutation = seed_words::<8>(seed, session, Purpose::Permutation(0)).map(u64::from);
        assert_eq!(numbers(&case["operations"]), operations);
        assert_eq!(numbers(&case["permutation"]), permutation);
    }
}

#[test]
fn the_generator_is_reproduced() {
    let golden = golden();
    let state: Vec<u32> = numbers(&golden["generator"]["state"]).iter().map(|word| *word as u32).collect();
    let state: [u32; 4] = state.try_into().unwrap();
    let mut generator = Xoshiro128::new(state);
    for expected in numbers(&golden["generator"]["outputs"]) {
        assert_eq!(u64::from(generator.next_u32()), expected);
    }
    let mut generator = Xoshiro128::new(state);
    for expected in items(&golden["generator"]["uniforms"]) {
        assert_eq!(generator.uniform().to_bits(), double(expected).to_bits());
    }
}

#[test]
fn the_elementary_functions_are_reproduced() {
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 6] = [
        ("seriesLog", series_log),
        ("seriesExp", series_exp),
        ("log", log),
        ("exp", exp),
        ("log1pOverX", log1p_over_x),
        ("expm1OverX", expm1_over_x),
    ];
    let golden = golden();
    for (name, function) in functions {
        for pair in items(&golden["elementary"][name]) {
            let x = double(&pair[0]);
            assert_eq!(function(x).to_bits(), double(&pair[1]).to_bits(), "{name}({x})");
        }
    }
}

#[test]
fn the_permutation_is_reproduced() {
    for case in items(&golden()["permutation"]) {
        let seed = case["seed"].as_str().unwrap().parse().unwrap();
        let permutation = Permutation::new(seed, 0, case["size"].as_u64().unwrap());
        for (input, output) in numbers(&case["inputs"]).into_iter().zip(numbers(&case["outputs"])) {
            assert_eq!(u64::from(permutation.apply(input as u32)), output, "of {}", case["size"]);
        }
    }
}

#[test]
fn the_first_operations_are_reproduced() {
    for case in items(&golden()["operations"]) {
        let mut stream = stream(case);
        for expected in items(&case["operations"]) {
            let transfer = stream.next_transfer();
            let got = vec![u64::from(transfer.source), u64::from(transfer.target), transfer.amount as u64];
            assert_eq!(got, numbers(expected), "{}", case["parameters"]);
        }
    }
}

#[test]
fn the_digests_of_a_hundred_thousand_operations_are_reproduced() {
    for case in items(&golden()["digests"]) {
        let mut stream = stream(case);
        let mut hash = Sha256::new();
        for _ in 0..case["operations"].as_u64().unwrap() {
            let transfer = stream.next_transfer();
            hash.update(transfer.source.to_le_bytes());
            hash.update(transfer.target.to_le_bytes());
            hash.update(transfer.amount.to_le_bytes());
        }
        let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, case["sha256"].as_str().unwrap(), "{}", case["parameters"]);
    }
}
