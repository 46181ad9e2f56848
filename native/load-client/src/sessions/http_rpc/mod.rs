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
use super::pipelined::Pipelined;
use super::reconnecting::Reconnecting;
use super::session::{Connected, Connector, LocalFuture};
use super::stream::Stream;
use crate::error::{Error, Result};
use crate::plan::Endpoint;

const CONNECT_MAX: Duration = Duration::from_secs(5);

/// For endpoints without options of its own.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Box<dyn Connector> {
    Box::new(HttpRpc { endpoint: endpoint.clone(), workload: Arc::clone(workload) })
}

struct HttpRpc {
    endpoint: Endpoint,
    workload: Arc<Workload>,
}

impl Connector for HttpRpc {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        let (address, workload) = (Address::of(&self.endpoint), Arc::clone(&self.workload));
        Box::pin(async move {
            let address = Rc::new(address?);
            let open = Rc::new(move || -> LocalFuture<Result<Pipelined<HttpCodec>>> {
                let (address, workload) = (Rc::clone(&address), Arc::clone(&workload));
                Box::pin(async move {
                    let opened = timeout(CONNECT_MAX, open(&address, &workload)).await;
                    let late = || Error::refused(format!("no answer within {CONNECT_MAX:?}"));
                    opened.unwrap_or_else(|_| Err(late()))
                })
            });
            Reconnecting::connect(open).await
        })
    }

    fn has_batches(&self) -> bool {
        true
    }
}

/// `http://HOST:PORT`
struct Address {
    /// As in the URL, for the header `host`.
    authority: String,
    host: String,
    port: u16,
}

impl Address {
    fn of(Endpoint { url, options }: &Endpoint) -> Result<Self> {
        // The codec is an option for the Node client, ignored here.
        if let Some(option) = options.keys().find(|option| *option != "codec") {
            return Err(Error::plan("plan.endpoint.options", format!("http-rpc has no option {option:?}")));
        }
        let wrong = || Error::plan("plan.endpoint.url", "http-rpc needs http://HOST:PORT");
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
async fn open(address: &Address, workload: &Arc<Workload>) -> Result<Pipelined<HttpCodec>> {
    let mut stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
    stream.set_nodelay(true)?;
    let Address { authority, .. } = address;
    let request = format!("GET /health HTTP/1.1\r\nhost: {authority}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut codec = HttpCodec::new(authority, workload);
    let mut input = Vec::new();
    loop {
        match codec.response(&input).map_err(|error| Error::refused(error.to_string()))? {
            Some((200, _, end)) if end == input.len() => {
                return Ok(Pipelined::new(Stream::Plain(stream), codec));
            }
            Some((status, ..)) => {
                return Err(Error::refused(format!(
                    "http://{authority}/health answered {status}; is another server on this port?"
                )));
            }
            None => {}
        }
        if stream.read_buf(&mut input).await? == 0 {
            return Err(Error::refused("the server ended the connection"));
        }
    }
}
