//! The plan parser against inputs that no schema foresaw.

use fair_bench_load_client::error::Result;
use fair_bench_load_client::plan::{PROTOCOL_VERSION, read_command};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

/// For each of the four properties.
const CASES: u32 = 3_000;

fn good() -> Value {
    json!({
        "protocol": PROTOCOL_VERSION,
        "trialId": "trial",
        "client": { "kind": "native", "protocol": "http-rpc" },
        "endpoint": { "url": "http://127.0.0.1:4101", "options": {} },
        "workload": { "name": "w", "seed": "1", "tables": [{ "rows": 0.5 }] },
        "sessions": 4,
        "share": { "sessionFirst": 1, "sessionCount": 2 },
        "depth": 2,
        "batch": 1,
        "threads": 1,
        "loop": { "kind": "open", "ratePerSecond": 100.5 },
        "timing": {
            "warmupMs": 0, "warmupMsMax": 0, "windowMs": 1, "windowMsMax": 1, "drainMs": 1, "connectMs": 1, "operationMs": 1
        },
        "canaries": [],
        "logPath": null
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(vec!["", "plan", "closed", "node", "a-b", "-", "1e400", "\n", "\u{0}"]).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z]{0,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Every place in a value, as JSON pointers.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    if let Value::Object(object) = value {
        for (name, member) in object {
            pointers(member, &format!("{at}/{name}"), all);
        }
    }
}

fn assert_told_in_one_line(result: Result<()>) {
    if let Err(error) = result {
        let reason = error.to_string();
        assert!(!reason.is_empty(), "a refusal without a reason");
        assert!(!reason.contains('\n'), "two lines: {reason}");
    }
}

fn read(line: &str) -> Result<()> {
    read_command(line).map(drop)
}

#[test]
fn the_plan_that_the_others_are_made_of_is_good() {
    let text = json!({ "type": "plan", "plan": good() }).to_string();
    assert!(read(&text).is_ok());
    // As JavaScript has it, 4.0 is whole, and the last of two members counts.
    let text = text.replace("\"sessions\":4", "\"sessions\":0,\"sessions\":4.0");
    assert!(read(&text).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        assert_told_in_one_line(read(&text));
    }

    #[test]
    fn any_json_in_any_place_of_a_plan(value in any_json(), place in any::<Index>()) {
        let mut plan = good();
        let mut all = Vec::new();
        pointers(&plan, "", &mut all);
        if let Some(member) = plan.pointer_mut(&all[place.index(all.len())]) {
            *member = value;
        }
        assert_told_in_one_line(read(&json!({ "type": "plan", "plan": plan }).to_string()));
    }

    #[test]
    fn a_plan_that_was_cut_or_garbled(cut in any::<Index>(), byte in any::<u8>(), garbles in any::<bool>()) {
        let mut bytes = json!({ "type": "plan", "plan": good() }).to_string().into_bytes();
        let at = cut.index(bytes.len());
        if garbles { bytes[at] = byte } else { bytes.truncate(at) }
        assert_told_in_one_line(read(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn a_field_that_does_not_belong(name in "[a-z]{1,8}", value in any_json()) {
        let mut plan = good();
        let taken = plan.get(&name).is_some();
        plan[name.as_str()] = value;
        prop_assume!(!taken);
        let error = read(&json!({ "type": "plan", "plan": plan }).to_string()).err();
        let reason = error.map(|error| error.to_string()).unwrap_or_default();
        prop_assert!(reason.contains(&format!("unknown field `{name}`")), "{reason}");
    }
}
