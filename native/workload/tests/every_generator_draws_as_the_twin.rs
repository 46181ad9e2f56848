//! Operations of every generator, as the Node client draws them.

#![allow(clippy::unwrap_used, reason = "vectors that cannot be read are a failed test")]

use std::sync::Arc;

use fair_bench_workload::{Argument, Description, Field, Program, Stream, Type, Values, Workload};
use serde_json::{Value, json};

#[test]
fn every_generator_draws_as_the_twin() {
    let vectors: Value = serde_json::from_str(include_str!("every-generator.json")).unwrap();
    let description = Description::parse(&vectors["description"]).unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        let workload = Workload::resolve(&description, case["parameters"].as_object().unwrap()).unwrap();
        let program = Program::new(&workload, case["sessions"].as_u64().unwrap() as u32).unwrap();
        let mut stream = Stream::new(&Arc::new(program), case["session"].as_u64().unwrap() as u32);
        let mut values = Values::default();
        for (sequence, expected) in case["operations"].as_array().unwrap().iter().enumerate() {
            stream.next(&mut values).unwrap();
            assert_eq!(
                shown(&workload, &values),
                *expected,
                "operation {sequence} of {}",
                case["parameters"]
            );
        }
    }
}

/// As the vectors have it: the operation's number and its arguments, int64 as decimal strings, bytes in hexadecimal.
fn shown(workload: &Workload, values: &Values) -> Value {
    let operation = &workload.operations[values.operation as usize];
    let mut all = vec![json!(values.operation)];
    for (place, argument) in operation.arguments.iter().enumerate() {
        all.push(match argument {
            Argument::Scalar(field) => scalar(field, values, values.word(place)),
            Argument::List { fields, .. } => {
                let list = values.list(place);
                let column = |number: usize| -> Vec<Value> {
                    (0..list.len())
                        .map(|record| scalar(&fields[number], values, list.word(number, record)))
                        .collect()
                };
                json!((0..fields.len()).map(column).collect::<Vec<_>>())
            }
        });
    }
    Value::Array(all)
}

fn scalar(field: &Field, values: &Values, word: u64) -> Value {
    match field.kind {
        Type::Key => json!(word),
        Type::Int64 => json!((word as i64).to_string()),
        Type::Bool => json!(word != 0),
        Type::Text { length } => json!(str::from_utf8(values.content(word, length)).unwrap()),
        Type::Bytes { length } => {
            let bytes = values.content(word, length);
            json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
    }
}
