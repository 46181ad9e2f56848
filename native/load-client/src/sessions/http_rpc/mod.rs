//! The RPC protocol (`packages/rpc/PROTOCOL.md`): HTTP/1.1 with pipelining, one connection for each session.

mod codec;
mod reply;
mod request;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fair_bench_workload::Workload;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use self::codec::HttpCodec;
use super::pipelined::{Opened, Pipelined, Refusal};
use super::{Connected, Connector, LocalFuture, Session};
use crate::plan::Endpoint;

const CONNECT_MAX: Duration = Duration::from_secs(5);

/// For endpoints without options.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Result<Box<dyn Connector>, String> {
    let address = if let Some(option) = endpoint.options.keys().next() {
        Err(format!("plan.endpoint.options: http-rpc has no option {option:?}"))
    } else {
        Address::parse(&endpoint.url)
    };
    Ok(Box::new(HttpRpc { address, workload: Arc::clone(workload) }))
}

struct HttpRpc {
    address: Result<Address, String>,
    workload: Arc<Workload>,
}

impl Connector for HttpRpc {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        let (address, workload) = (self.address.clone(), Arc::clone(&self.workload));
        Box::pin(async move {
            let address = Rc::new(address?);
            let open = Rc::new(move || -> LocalFuture<Opened<HttpCodec>> {
                let (address, workload) = (Rc::clone(&address), Arc::clone(&workload));
                Box::pin(async move {
                    let opened = timeout(CONNECT_MAX, open(&address, &workload)).await;
                    let late = || Refusal::connection(format!("no answer within {CONNECT_MAX:?}"));
                    opened.unwrap_or_else(|_| Err(late()))
                })
            });
            let session = Pipelined::connect(open).await.map_err(|refusal| refusal.reason)?;
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }
}

/// `http://HOST:PORT`
#[derive(Clone)]
struct Address {
    /// As in the URL, for the header `host`.
    authority: String,
    host: String,
    port: u16,
}

impl Address {
    fn parse(url: &str) -> Result<Self, String> {
        let wrong = || "plan.endpoint.url: http-rpc needs http://HOST:PORT".to_owned();
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| wrong())?),
            _ => (authority, 80),
        };
        if host.is_empty() || host.contains('@') {
            return Err(wrong());
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        Ok(Self { authority: authority.to_owned(), host: bare.to_owned(), port })
    }
}

/// Connects, and reads the server's health, so that the connection certainly works.
async fn open(address: &Address, workload: &Arc<Workload>) -> Opened<HttpCodec> {
    let io = |error: std::io::Error| Refusal::connection(error.to_string());
    let mut stream = TcpStream::connect((address.host.as_str(), address.port)).await.map_err(io)?;
    stream.set_nodelay(true).map_err(io)?;
    let Address { authority, .. } = address;
    let request = format!("GET /health HTTP/1.1\r\nhost: {authority}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(io)?;
    let mut codec = HttpCodec::new(authority, workload);
    let mut input = Vec::new();
    loop {
        match codec.response(&input) {
            Ok(Some((200, _, end))) if end == input.len() => return Ok((stream, codec)),
            Ok(Some((status, ..))) => {
                return Err(Refusal::connection(format!(
                    "http://{authority}/health answered {status}; is another server on this port?"
                )));
            }
            Ok(None) => {}
            Err(reason) => return Err(Refusal::connection(reason)),
        }
        if stream.read_buf(&mut input).await.map_err(io)? == 0 {
            return Err(Refusal::connection("the server ended the connection"));
        }
    }
}
