use super::*;

fn config(url: &str) -> Result<PostgresConfig> {
    let options = serde_json::json!({ "applicationName": "ours" });
    let options = options.as_object().cloned().unwrap_or_default();
    PostgresConfig::of(&Endpoint { url: url.to_owned(), options })
}

#[test]
fn the_settings_of_a_url_are_asked_of_the_session() {
    let config = config("postgres://us%40er:pw@db:5433/base?options=-c%20synchronous_commit%3Doff").unwrap();
    assert_eq!(config.hosts, [("db".to_owned(), 5433)]);
    assert_eq!(config.user, "us@er");
    let expected = [
        ("user", "us@er"),
        ("database", "base"),
        ("application_name", "ours"),
        ("options", "-c synchronous_commit=off"),
        ("client_encoding", "UTF8"),
    ];
    assert_eq!(config.parameters, expected.map(|(name, value)| (name, value.to_owned())));
}

#[test]
fn a_url_that_cannot_be_followed_is_told_without_its_password() {
    for url in ["postgres://u:secret@h/d?sslmode=sometimes", "postgres://u:secret@h/d?nonsense=1"] {
        let reason = config(url).err().expect("an error").to_string();
        assert!(reason.starts_with("plan.endpoint.url: ") && !reason.contains("secret"), "{reason}");
    }
}

#[test]
fn what_a_url_says_of_encryption_is_kept_apart() {
    let query = "sslmode=verify-full&sslrootcert=%2Ftmp%2Fca.pem&uselibpqcompat=true&application_name=theirs";
    let (rest, parameters) = apart(&format!("postgres://u@h/d?{query}"));
    assert_eq!(rest, "postgres://u@h/d?application_name=theirs");
    assert_eq!(parameters.mode.as_deref(), Some("verify-full"));
    assert_eq!(parameters.authority.as_deref(), Some("/tmp/ca.pem"));
    assert_eq!(apart("postgres://u@h/d?sslmode=disable").0, "postgres://u@h/d");
    assert!(config("postgres://u@h/d?sslmode=disable").unwrap().tls.is_none());
    assert!(config("postgres://u@h/d?sslmode=require").unwrap().tls.is_some());
}

#[test]
fn an_authority_that_is_not_there_is_told_by_its_parameter() {
    let reason =
        config("postgres://u@h/d?sslmode=verify-ca&sslrootcert=/nowhere/ca.pem").err().expect("an error");
    assert!(reason.to_string().starts_with("plan.endpoint.url: sslrootcert: /nowhere/ca.pem: "), "{reason}");
}
