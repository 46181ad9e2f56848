use super::*;

#[test]
fn the_settings_are_in_the_address() {
    let url = |text, confirmed| Endpoint::new(text, "fair-bench-1", confirmed).unwrap().web_socket_url();
    let path = "v1/database/fair-bench-1/subscribe?compression=None";
    assert_eq!(url("http://127.0.0.1:3000", true), format!("ws://127.0.0.1:3000/{path}&confirmed=true"));
    assert_eq!(url("http://db.test/", false), format!("ws://db.test:80/{path}&confirmed=false"));
    assert_eq!(url("ws://[::1]:9/a/b/", true), format!("ws://[::1]:9/a/b/{path}&confirmed=true"));
    assert_eq!(Endpoint::new("ws://[::1]:9", "a", true).unwrap().address(), ("::1", 9));
}

#[test]
fn what_cannot_be_spoken_to_is_refused_without_telling_secrets() {
    for url in ["", "nonsense", "/path", "https://db.test", "postgres://db.test", "http://a:secret@db.test"] {
        let error = Endpoint::new(url, "a", true).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
    for database in ["", "a/b", "a?b", "a b", "ä"] {
        assert!(matches!(Endpoint::new("http://db.test", database, true), Err(ConnectError::Database)));
    }
}
