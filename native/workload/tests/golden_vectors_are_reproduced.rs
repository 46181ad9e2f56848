//! The vectors are those of the Node client: `packages/workload/vectors`.

#![allow(clippy::unwrap_used, reason = "vectors that cannot be read are a failed test")]

use std::sync::Arc;

use fair_bench_workload::parts::{Permutation, Purpose, fold_item, seed_words};
use fair_bench_workload::{Argument, Operation, Program, Stream, Type, Values, Workload};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn vectors(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/workload/vectors");
    serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap()).unwrap()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn the_streams_of_every_workload_are_reproduced() {
    let planned = vectors("planned");
    for name in [
        "transfer",
        "counter",
        "ycsb",
        "ycsb-core",
        "order",
        "objects",
        "point-read",
        "feed",
        "isolation",
        "queue",
        "cart",
        "objects-core",
        "tpcc",
    ] {
        for (case, planned) in items(&vectors(name)["streams"]).iter().zip(items(&planned[name])) {
            let planned = serde_json::from_str(planned.as_str().unwrap()).unwrap();
            let workload = Workload::parse(&planned).unwrap();
            let program = Program::new(&workload, case["sessions"].as_u64().unwrap() as u32);
            let mut stream = Stream::new(&Arc::new(program), case["session"].as_u64().unwrap() as u32);
            let (mut values, mut hash) = (Values::default(), Sha256::new());
            for sequence in 0..case["count"].as_u64().unwrap() {
                stream.next(&mut values).unwrap();
                let operation = &workload.operations[values.operation as usize];
                if let Some(expected) = case["first"].get(sequence as usize) {
                    assert_eq!(shown(operation, &values), *expected, "{name} {}", case["parameters"]);
                    let parsed = Values::parse(values.operation, operation, &items(expected)[1..]).unwrap();
                    assert_eq!(shown(operation, &parsed), *expected, "{name}: read again");
                }
                hash.update(bytes_of(operation, &values));
            }
            let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, case["sha256"].as_str().unwrap(), "{name} {}", case["parameters"]);
        }
    }
}

#[test]
fn the_parts_are_reproduced() {
    let parts = vectors("parts");
    for case in items(&parts["seedWords"]) {
        let purpose = match case["purpose"].as_str().unwrap().parse().unwrap() {
            2 => Purpose::Permutation(0),
            purpose @ 256..65_536 => Purpose::Permutation(purpose - 256),
            // Seeded values are the runner's business.
            _ => continue,
        };
        let words: Vec<u64> = items(&case["words"]).iter().flat_map(Value::as_u64).collect();
        assert_eq!(seed_words::<8>(42, 0, purpose).map(u64::from), words[..]);
    }
    for case in items(&parts["fold"]) {
        let [item, count, index] = [0, 1, 2].map(|place| case[place].as_u64().unwrap());
        assert_eq!(fold_item(item, count), index, "{item} onto {count}");
    }
    for case in items(&parts["permutation"]) {
        let permutation = Permutation::new(42, 1, case["size"].as_u64().unwrap());
        for (input, output) in items(&case["inputs"]).iter().zip(items(&case["outputs"])) {
            let input = input.as_u64().unwrap() as u32;
            assert_eq!(json!(permutation.apply(input)), *output, "{input} of {}", case["size"]);
        }
    }
}

/// The operation's number and its arguments: an int64 is a decimal string, bytes are base64, a list its records.
fn shown(operation: &Operation, values: &Values) -> Value {
    let arguments = operation.arguments.iter().enumerate().map(|(place, argument)| match argument {
        Argument::Scalar(field) => scalar(field.kind, values, values.word(place)),
        Argument::List { fields, .. } => {
            let list = values.list(place);
            let record = |record| {
                let fields = fields.iter().enumerate();
                json!(
                    fields
                        .map(|(number, field)| scalar(field.kind, values, list.word(number, record)))
                        .collect::<Vec<_>>()
                )
            };
            json!((0..list.len()).map(record).collect::<Vec<_>>())
        }
    });
    json!(std::iter::once(json!(values.operation)).chain(arguments).collect::<Vec<_>>())
}

fn scalar(kind: Type, values: &Values, word: u64) -> Value {
    match kind {
        Type::Key => json!(word),
        Type::Int64 => json!((word as i64).to_string()),
        Type::Bool => json!(word != 0),
        Type::Text { length } => json!(str::from_utf8(values.content(word, length)).unwrap()),
        Type::Bytes { length } => json!(base64(values.content(word, length))),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let known = digit <= group.len();
            let index = word >> (18 - 6 * digit) & 63;
            text.push(if known { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    text
}

/// As the digests take it: little-endian, text, bytes and lists behind their length.
fn bytes_of(operation: &Operation, values: &Values) -> Vec<u8> {
    let mut bytes = values.operation.to_le_bytes().to_vec();
    let put = |kind: Type, word: u64, bytes: &mut Vec<u8>| match kind {
        Type::Key => bytes.extend((word as u32).to_le_bytes()),
        Type::Int64 => bytes.extend(word.to_le_bytes()),
        Type::Bool => bytes.push(word as u8),
        Type::Text { length } | Type::Bytes { length } => {
            let content = values.content(word, length);
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(content);
        }
    };
    for (place, argument) in operation.arguments.iter().enumerate() {
        match argument {
            Argument::Scalar(field) => put(field.kind, values.word(place), &mut bytes),
            Argument::List { fields, .. } => {
                let list = values.list(place);
                bytes.extend((list.len() as u32).to_le_bytes());
                for record in 0..list.len() {
                    for (number, field) in fields.iter().enumerate() {
                        put(field.kind, list.word(number, record), &mut bytes);
                    }
                }
            }
        }
    }
    bytes
}
