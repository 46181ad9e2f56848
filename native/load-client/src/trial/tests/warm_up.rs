use serde_json::{Value, json};

use super::*;

/// The Node client decides the same from the same work.
#[test]
fn vectors_are_decided_as_by_the_twin() {
    let vectors = include_str!("../../../../../packages/load-client/vectors/warm-up.json");
    let vectors: Vec<Value> = serde_json::from_str(vectors).unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let name = &vector["name"];
        let mut warm_up = WarmUp::new(&plan_of(&vector));
        let sample_ms = vector["sampleMs"].as_f64().unwrap();
        assert_eq!(warm_up.sample_ms(), sample_ms, "{name}");
        let work = vector["work"].as_array().unwrap();
        for (place, sample) in work.iter().enumerate() {
            let number = |index: usize| sample[index].as_f64().unwrap();
            let latency = (number(2) * 1e6) as u64;
            let sum = Work { applied: number(0) as u64, completed: number(1) as u64, latency };
            let decided = warm_up.decide((place + 1) as f64 * sample_ms, sum);
            let expected = if place + 1 == work.len() { vector["decided"].clone() } else { Value::Null };
            let found = decided.map_or(
                Value::Null,
                |WarmedUp { steady, window_ms }| json!({ "steady": steady, "windowMs": window_ms }),
            );
            assert_eq!(found, expected, "{name}, sample {place}");
        }
    }
}

fn plan_of(vector: &Value) -> TrialPlan {
    let mut timing = vector["timing"].clone();
    timing["drainMs"] = json!(1);
    timing["connectMs"] = json!(1);
    serde_json::from_value(json!({
        "protocol": crate::plan::PROTOCOL_VERSION,
        "trialId": "vector",
        "client": { "kind": "native", "protocol": "double" },
        "endpoint": { "url": "", "options": {} },
        "workload": { "description": {}, "parameters": {} },
        "sessions": vector["sessions"],
        "share": null,
        "depth": vector["depth"],
        "threads": 1,
        "loop": vector["loop"],
        "timing": timing,
        "canaries": [],
        "logPath": null,
    }))
    .unwrap()
}
