use serde_json::json;

use super::*;

fn endpoint(url: &str, options: &Value) -> Endpoint {
    Endpoint { url: url.to_owned(), options: options.as_object().unwrap().clone() }
}

#[test]
fn the_options_are_those_of_the_connector_and_no_others() {
    let good = json!({ "database": "fair-bench-1", "confirmedReads": false });
    let parsed = parse(&endpoint("http://127.0.0.1:3000", &good)).unwrap();
    assert_eq!(parsed, wire::Endpoint::new("http://127.0.0.1:3000", "fair-bench-1", false).unwrap());
    for (options, field) in [
        (json!({}), "database"),
        (json!({ "database": 1, "confirmedReads": true }), "database"),
        (json!({ "database": "a" }), "confirmedReads"),
        (json!({ "database": "a", "confirmedReads": "true" }), "confirmedReads"),
        (json!({ "database": "a", "confirmedReads": true, "compression": "gzip" }), "compression"),
    ] {
        let reason = parse(&endpoint("http://127.0.0.1:3000", &options)).unwrap_err().to_string();
        assert!(reason.starts_with("plan.endpoint.options: ") && reason.contains(field), "{reason}");
    }
}

#[test]
fn a_url_that_cannot_be_spoken_to_names_the_endpoint() {
    let options = json!({ "database": "a", "confirmedReads": true });
    let reason = parse(&endpoint("https://user:secret@db.test", &options)).unwrap_err().to_string();
    assert!(reason.starts_with("plan.endpoint: ") && !reason.contains("secret"), "{reason}");
}
