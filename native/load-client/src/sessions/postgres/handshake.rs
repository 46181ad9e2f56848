//! From a socket to a session with the operations prepared.

use std::sync::Arc;

use bytes::BytesMut;
use fair_bench_workload::Workload;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::batch;
use super::call::prepare;
use super::codec::PostgresCodec;
use super::config::{PostgresConfig, Protocol};
use super::fault::ServerError;
use crate::error::{Error, Result};
use crate::sessions::pipelined::Pipelined;
use crate::sessions::stream::Stream;

/// Opens a connection to the first host that accepts one.
pub(super) async fn open(
    config: &PostgresConfig,
    workload: &Arc<Workload>,
) -> Result<Pipelined<PostgresCodec>> {
    let mut last = Error::refused("plan.endpoint.url: it names no host");
    for (host, port) in &config.hosts {
        match timeout(config.connect_max, open_at(config, workload, (host, *port))).await {
            Ok(Ok(opened)) => return Ok(opened),
            Ok(Err(error)) => last = error,
            Err(_) => last = Error::refused(format!("no answer within {:?}", config.connect_max)),
        }
    }
    Err(last)
}

async fn open_at(
    config: &PostgresConfig,
    workload: &Arc<Workload>,
    address: (&str, u16),
) -> Result<Pipelined<PostgresCodec>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let stream = encrypted(config, address.0, stream).await?;
    let mut connection = Connection { stream, input: BytesMut::new(), output: BytesMut::new() };
    let parameters = config.parameters.iter().map(|(name, value)| (*name, value.as_str()));
    frontend::startup_message(parameters, &mut connection.output)?;
    connection.authenticate(config).await?;
    connection.until_ready().await?;
    let codec = PostgresCodec::new(workload, &config.calls)?;
    if config.calls.batches && config.calls.protocol == Protocol::Prepared {
        batch::parse(batch::NAME, workload, &config.calls, &mut connection.output)?;
    }
    prepare(workload, &config.calls, &mut connection.output)?;
    connection.until_ready().await?;
    if !connection.input.is_empty() {
        return Err(Error::refused("the server sent more than was requested"));
    }
    Ok(Pipelined::new(connection.stream, codec))
}

/// The same stream, encrypted where the URL says so.
async fn encrypted(config: &PostgresConfig, host: &str, mut stream: TcpStream) -> Result<Stream> {
    let Some(tls) = &config.tls else { return Ok(Stream::Plain(stream)) };
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    stream.write_all(&request).await?;
    if stream.read_u8().await? != b'S' {
        return Err(Error::refused("the server has no TLS; use sslmode=disable"));
    }
    Ok(Stream::Tls(Box::new(tls.connect(host, stream).await?)))
}

struct Connection {
    stream: Stream,
    input: BytesMut,
    output: BytesMut,
}

impl Connection {
    /// Sends the pending bytes and reads the next message; an error of the server is a refusal.
    async fn next(&mut self) -> Result<Message> {
        self.stream.write_all(&self.output).await?;
        self.output.clear();
        loop {
            match Message::parse(&mut self.input)? {
                Some(Message::ErrorResponse(body)) => {
                    let error = ServerError::of(body.fields());
                    return Err(Error::Refused { code: error.connect_code(), reason: error.to_string() });
                }
                Some(message) => return Ok(message),
                None => {}
            }
            if self.stream.read_buf(&mut self.input).await? == 0 {
                return Err(Error::refused("the server ended the connection"));
            }
        }
    }

    async fn until_ready(&mut self) -> Result<()> {
        while !matches!(self.next().await?, Message::ReadyForQuery(_)) {}
        Ok(())
    }

    async fn authenticate(&mut self, config: &PostgresConfig) -> Result<()> {
        let password = || {
            let missing = || Error::refused("the server requires a password, and the URL has none");
            config.password.as_deref().ok_or_else(missing)
        };
        loop {
            match self.next().await? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(password()?, &mut self.output)?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash = md5_hash(config.user.as_bytes(), password()?, body.salt());
                    frontend::password_message(hash.as_bytes(), &mut self.output)?;
                }
                Message::AuthenticationSasl(body) => {
                    if !body.mechanisms().any(|mechanism| Ok(mechanism == SCRAM_SHA_256))? {
                        return Err(Error::refused("the server knows no SCRAM-SHA-256"));
                    }
                    self.scram(password()?).await?;
                }
                _ => {
                    return Err(Error::refused("the server requires an unsupported login method"));
                }
            }
        }
    }

    async fn scram(&mut self, password: &[u8]) -> Result<()> {
        let unexpected = || Error::refused("the server breaks off SCRAM-SHA-256");
        let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut self.output)?;
        let Message::AuthenticationSaslContinue(body) = self.next().await? else { return Err(unexpected()) };
        scram.update(body.data())?;
        frontend::sasl_response(scram.message(), &mut self.output)?;
        let Message::AuthenticationSaslFinal(body) = self.next().await? else { return Err(unexpected()) };
        Ok(scram.finish(body.data())?)
    }
}
