//! A server of our own for a test, with the module published, and ways to wait for a session.

// Not every test uses all of it.
#![allow(dead_code)]

use std::env;
use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fair_bench_spacetimedb_wire::{Call, Callee, Outcome, Session};

const READY_MAX: Duration = Duration::from_secs(20);
const OUTCOMES_MAX: Duration = Duration::from_secs(10);
const REQUEST_MAX: Duration = Duration::from_secs(30);
pub(crate) const DATABASE: &str = "fair-bench-test";
const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workloads/transfer/spacetimedb/module.wasm");

/// The arguments of the module's reducer `transfer`.
pub(crate) fn transfer(source: u32, target: u32, amount: i64) -> [u8; 16] {
    let mut arguments = [0; 16];
    arguments[..4].copy_from_slice(&source.to_le_bytes());
    arguments[4..8].copy_from_slice(&target.to_le_bytes());
    arguments[8..].copy_from_slice(&amount.to_le_bytes());
    arguments
}

pub(crate) fn call(arguments: &[u8; 16]) -> Call<'_> {
    Call { callee: Callee::Reducer, name: "transfer", arguments }
}

/// Ends with the test that has it.
pub(crate) struct Server {
    process: Child,
    directory: PathBuf,
    pub(crate) port: u16,
    token: String,
}

impl Server {
    /// A server on a free port of loopback, or none where there is no binary, which is said.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let Some(binary) = find_binary() else {
            // Not by a macro, which the test runner would keep to itself.
            writeln!(
                std::io::stderr(),
                "skipped: no spacetimedb-standalone in FAIR_BENCH_SPACETIMEDB_BIN, PATH or the cache folder"
            )
            .expect("stderr");
            return None;
        };
        let directory = env::temp_dir().join(format!("fair-bench-wire-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        drop(listener);
        let key = directory.join("id_ecdsa");
        let process = Command::new(binary)
            .args(["start", "--non-interactive", "--listen-addr", &format!("127.0.0.1:{port}"), "--data-dir"])
            .arg(directory.join("data"))
            .arg("--jwt-priv-key-path")
            .arg(&key)
            .arg("--jwt-pub-key-path")
            .arg(key.with_extension("pub"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut server = Self { process, directory, port, token: String::new() };
        server.wait_until_ready();
        server.token = server.new_token();
        let module = std::fs::read(MODULE).expect("workloads/transfer/spacetimedb/module.wasm");
        server.request("PUT", &format!("/v1/database/{DATABASE}"), &module);
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Accounts 0 … count − 1 with `balance` each.
    pub(crate) fn seed(&self, count: u32, balance: i64) {
        let rows: Vec<String> = (0..count).map(|id| format!("[{id},{balance}]")).collect();
        let arguments = format!("[[{}]]", rows.join(","));
        self.request("POST", &format!("/v1/database/{DATABASE}/call/load_account"), arguments.as_bytes());
    }

    /// As it is on disk.
    pub(crate) fn balance(&self, account: u32) -> i64 {
        let query = format!("SELECT balance FROM account WHERE id = {account}");
        let path = format!("/v1/database/{DATABASE}/sql?confirmed=true");
        let reply = self.request("POST", &path, query.as_bytes());
        let reply: serde_json::Value = serde_json::from_str(&reply).expect("JSON");
        reply[0]["rows"][0][0].as_i64().unwrap_or_else(|| panic!("no balance in {reply}"))
    }

    /// At once, as a crash would end it.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it ends");
    }

    fn wait_until_ready(&self) {
        let deadline = Instant::now() + READY_MAX;
        while exchange(self.port, "GET", "/v1/health", "", &[]).is_err() {
            assert!(Instant::now() < deadline, "the server did not answer in {READY_MAX:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn new_token(&self) -> String {
        let identity = self.request("POST", "/v1/identity", &[]);
        let identity: serde_json::Value = serde_json::from_str(&identity).expect("JSON");
        identity["token"].as_str().expect("a token").to_owned()
    }

    fn request(&self, method: &str, path: &str, body: &[u8]) -> String {
        exchange(self.port, method, path, &self.token, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed before, and the folder is one of many in the temporary folder.
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

/// A call's outcome, or whether the server broke the protocol when its connection was lost.
pub(crate) type Settled = Result<Outcome<'static>, bool>;

/// What became by place of the next `count` calls.
pub(crate) async fn outcomes(session: &mut Session, count: usize) -> Vec<(u32, Settled)> {
    let mut settled = Vec::new();
    let wait = async {
        while settled.len() < count {
            let polled = poll_fn(|context| {
                session.poll(context, |place, outcome| settled.push((place, Ok(owned(outcome)))))
            });
            if let Err(lost) = polled.await {
                session.take_outstanding(|place| settled.push((place, Err(lost.is_protocol_error()))));
            }
        }
    };
    tokio::time::timeout(OUTCOMES_MAX, wait).await.expect("the outcomes come in time");
    settled.sort_by_key(|(place, _)| *place);
    settled
}

fn owned(outcome: Outcome<'_>) -> Outcome<'static> {
    match outcome {
        Outcome::Applied => Outcome::Applied,
        Outcome::Returned(_) => unreachable!("no procedure was called"),
        Outcome::Declined(reason) => Outcome::Declined(reason.into_owned().into()),
        Outcome::Fault(fault) => Outcome::Fault(fault),
    }
}

fn find_binary() -> Option<PathBuf> {
    let named = env::var_os("FAIR_BENCH_SPACETIMEDB_BIN").filter(|path| !path.is_empty());
    if let Some(path) = named {
        return Some(path.into());
    }
    let cache = env::var_os("XDG_CACHE_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache")));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(cache.map(|cache| cache.join("fair-bench/bin")));
    folders.map(|folder| folder.join("spacetimedb-standalone")).find(|path| path.is_file())
}

/// One request of HTTP/1.0, whose reply ends with the connection.
fn exchange(port: u16, method: &str, path: &str, token: &str, body: &[u8]) -> Result<String, String> {
    let io = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(io)?;
    stream.set_read_timeout(Some(REQUEST_MAX)).map_err(io)?;
    let authorization =
        if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.0\r\n{authorization}content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).map_err(io)?;
    stream.write_all(body).map_err(io)?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).map_err(io)?;
    let (head, body) = reply.split_once("\r\n\r\n").ok_or("the reply has no end of its head")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') { Ok(body.to_owned()) } else { Err(format!("{status}: {body}")) }
}
