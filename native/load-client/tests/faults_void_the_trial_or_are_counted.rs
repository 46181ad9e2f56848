//! Behaviour that a real server does not show on request: doubles that panic, break off, or fall silent.

#![allow(clippy::unwrap_used, reason = "a test ends where its preparation fails")]

mod support;

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use fair_bench_load_client::sessions::{Connected, Connector, LocalFuture, Outcomes, Place, Session};
use fair_bench_workload::{Program, Stream, Values};
use serde_json::Value;
use support::{drawn_and_in_doubt, plan, run, run_by, workload};

struct PanickingDouble;

impl Connector for PanickingDouble {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        Box::pin(async { Ok(Box::new(PanickingDouble) as Box<dyn Session>) })
    }
}

impl Session for PanickingDouble {
    fn send(&mut self, _place: Place, _values: &Values) {}

    fn poll(&mut self, _context: &mut Context<'_>, _outcomes: &mut Outcomes) -> Poll<()> {
        panic!("the double's own mistake");
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(async {})
    }
}

#[test]
fn a_panic_in_a_session_fails_the_trial_with_what_it_said() {
    let reason = run(Box::new(PanickingDouble), plan("double://", 1)).err().unwrap().to_string();
    assert!(reason.contains("panicked") && reason.contains("the double's own mistake"), "{reason}");
}

/// An RPC server that answers this many transfers on each connection and then closes it, or falls silent.
struct ServerDouble {
    url: String,
    /// The bodies of all transfers that arrived whole, over all connections.
    bodies: Arc<Mutex<Vec<String>>>,
    answered: Arc<Mutex<u64>>,
}

impl ServerDouble {
    fn start(answers_each: u64, closes: bool, answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (bodies, answered) = (Arc::default(), Arc::default());
        let double = Self { url, bodies: Arc::clone(&bodies), answered: Arc::clone(&answered) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (bodies, answered) = (Arc::clone(&bodies), Arc::clone(&answered));
                std::thread::spawn(move || {
                    // A client that has gone ends the connection.
                    let _gone = serve(stream.unwrap(), (answers_each, closes, answer), &bodies, &answered);
                });
            }
        });
        double
    }
}

fn serve(
    stream: TcpStream,
    (answers_each, closes, answer): (u64, bool, &str),
    bodies: &Mutex<Vec<String>>,
    answered: &Mutex<u64>,
) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let mut answers = 0;
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        if first.starts_with("GET /health") {
            write!(writer, "HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{{\"status\":\"ok\"}}")?;
            continue;
        }
        bodies.lock().unwrap().push(String::from_utf8(body).unwrap());
        if answers == answers_each {
            if closes {
                return Ok(());
            }
            continue;
        }
        answers += 1;
        *answered.lock().unwrap() += 1;
        write!(writer, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{answer}", answer.len())?;
    }
}

const APPLIED: &str = r#"{"kind":"applied","retries":0}"#;

fn count(result: &Value, pointer: &str) -> u64 {
    result.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

#[test]
fn after_a_lost_connection_nothing_is_sent_twice_and_what_was_sent_is_in_doubt() {
    let server = ServerDouble::start(5, true, APPLIED);
    let result = &run_by("http-rpc", plan(&server.url, 4)).unwrap();

    let bodies = server.bodies.lock().unwrap();
    let distinct: HashSet<&String> = bodies.iter().collect();
    assert_eq!(distinct.len(), bodies.len(), "a transfer arrived twice");
    // The arrived operations are a part of the stream, in its order; the missing ones were never written.
    let mut stream = Stream::new(&Arc::new(Program::new(&workload(), 1)), 0);
    let mut values = Values::default();
    for body in bodies.iter() {
        loop {
            stream.next(&mut values).unwrap();
            let [source, target, amount] = *values.words() else { panic!("three arguments") };
            if *body == format!(r#"{{"source":{source},"target":{target},"amount":"{amount}"}}"#) {
                break;
            }
        }
    }
    let (applied, in_doubt) = (count(result, "/total/applied"), count(result, "/total/inDoubt"));
    let answered = *server.answered.lock().unwrap();
    assert!(applied > 0 && in_doubt > 0, "{result}");
    assert!(applied <= answered && answered <= applied + in_doubt, "{applied} + {in_doubt}, {answered}");
    assert_eq!(count(result, "/total/faults/connection-lost"), in_doubt);
    let (drawn, logged) = drawn_and_in_doubt(result);
    assert_eq!(logged, in_doubt);
    // The others were never written.
    assert_eq!(drawn, applied + in_doubt + count(result, "/total/faults/connection-refused"));
}

#[test]
fn what_is_never_answered_is_a_timeout_in_doubt() {
    let server = ServerDouble::start(3, false, APPLIED);
    let result = &run_by("http-rpc", plan(&server.url, 4)).unwrap();

    assert_eq!(count(result, "/total/applied"), 3);
    assert_eq!(count(result, "/unanswered"), 4);
    assert_eq!(count(result, "/total/faults/timeout"), 4);
    assert_eq!(count(result, "/total/inDoubt"), 4);
    assert_eq!(count(result, "/latency/faults/count"), 4);
    assert_eq!(drawn_and_in_doubt(result), (7, 4));
}

#[test]
fn a_reply_that_nobody_understands_is_a_protocol_error_in_doubt() {
    let server = ServerDouble::start(u64::MAX, false, "understood");
    let result = run_by("http-rpc", plan(&server.url, 1)).unwrap();

    let faults = count(&result, "/total/faults/protocol-error");
    assert!(faults > 0, "{result}");
    assert_eq!(count(&result, "/total/inDoubt"), faults);
    assert_eq!(count(&result, "/total/applied"), 0);
}

#[test]
fn a_server_that_only_closes_is_a_dead_target() {
    let server = ServerDouble::start(0, true, APPLIED);
    let mut plan = plan(&server.url, 2);
    plan.timing.window_ms = 60_000;
    plan.timing.operation_ms = 300;
    let reason = run_by("http-rpc", plan).err().unwrap().to_string();
    assert!(reason.starts_with(&format!("the target at {} is gone: all 1 sessions", server.url)), "{reason}");
    assert!(reason.contains("last fault: connection-lost"), "{reason}");
}

#[test]
fn a_late_reply_is_a_timeout_whose_effect_is_known() {
    let server = ServerDouble::start(u64::MAX, false, APPLIED);
    let mut plan = plan(&server.url, 1);
    plan.timing.operation_ms = 0;
    // Every reply is late, and none of them is a fault that spins: the trial goes on.
    let result = &run_by("http-rpc", plan).unwrap();
    let faults = count(result, "/total/faults/timeout");
    assert!(faults > 0);
    assert_eq!(count(result, "/total/inDoubt"), 0);
    assert_eq!(drawn_and_in_doubt(result), (faults, 0));
    assert_eq!(count(result, "/operations/0/total/faults"), faults);
}
