//! One WebSocket, polled: no task and no channel between a reply and its reader.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;
use futures_util::{Sink, Stream, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::endpoint::Endpoint;
use crate::error::{ConnectError, LostConnection};
use crate::message::{Call, Reply, ReplyFrame, decode_initial_connection, encode_call};

/// Several messages may share a frame.
const PROTOCOL_V3: &str = "v3.bsatn.spacetimedb";
/// Each message is a frame of its own.
const PROTOCOL_V2: &str = "v2.bsatn.spacetimedb";
/// The most that goes into one frame: as much as the vendor's own client puts in.
const FRAME_BYTES_MAX: usize = 256 * 1024;
/// Room for a few hundred replies. The library zeroes it before each read, so more would cost more.
const READ_BUFFER_BYTES: usize = 8 * 1024;
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Which of the server's protocols a connection requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocols {
    /// The newest that the server speaks, as the vendor's clients do.
    #[default]
    Newest,
    /// v2 alone: each call is a frame of its own. For servers and comparisons.
    V2,
}

impl Protocols {
    fn header(self) -> HeaderValue {
        // In the order of preference.
        HeaderValue::from_static(match self {
            Self::Newest => "v3.bsatn.spacetimedb, v2.bsatn.spacetimedb",
            Self::V2 => PROTOCOL_V2,
        })
    }
}

/// One WebSocket to one database, on which reducers are called.
#[derive(Debug)]
pub struct Connection {
    socket: WebSocketStream<TcpStream>,
    /// Encoded calls that are not in a frame yet.
    calls: BytesMut,
    /// How long each of them is.
    lengths: VecDeque<usize>,
    /// 0: each call is a frame.
    frame_bytes_max: usize,
    /// Whether frames were passed to the socket and may be partly unwritten.
    unflushed: bool,
}

impl Connection {
    /// Connects and waits until the server has given us an identity: from then on it takes calls. No token is
    /// sent, so the server makes a new identity. Bounded by nothing: to be dropped when it takes too long.
    ///
    /// # Errors
    ///
    /// When there is no TCP connection, no WebSocket, or another beginning than the protocol's.
    pub async fn open(endpoint: &Endpoint, protocols: Protocols) -> Result<Self, ConnectError> {
        let address = endpoint.authority();
        let tcp = |source| ConnectError::Tcp { address: address.clone(), source };
        let stream = TcpStream::connect(endpoint.address()).await.map_err(tcp)?;
        stream.set_nodelay(true).map_err(tcp)?;
        let web_socket =
            |source| ConnectError::WebSocket { address: address.clone(), source: Box::new(source) };
        let mut request = endpoint.web_socket_url().into_client_request().map_err(web_socket)?;
        request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, protocols.header());
        let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES);
        let (mut socket, response) =
            client_async_with_config(request, stream, Some(config)).await.map_err(web_socket)?;
        let shares_frames =
            response.headers().get(SEC_WEBSOCKET_PROTOCOL).is_some_and(|chosen| chosen == PROTOCOL_V3);
        greeting(&mut socket).await.map_err(ConnectError::Greeting)?;
        let frame_bytes_max = if shares_frames { FRAME_BYTES_MAX } else { 0 };
        let lengths = VecDeque::new();
        Ok(Self { socket, calls: BytesMut::new(), lengths, frame_bytes_max, unflushed: false })
    }

    /// Takes a call, to be written by the next `poll_write`. `request_id` comes back with its reply.
    pub fn push(&mut self, request_id: u32, call: Call<'_>) {
        self.lengths.push_back(encode_call(request_id, call, &mut self.calls));
    }

    /// Writes the calls that were taken, in one write where the socket has room. Pending when it has none:
    /// then the waker is called once it has.
    ///
    /// # Errors
    ///
    /// When the connection is lost.
    pub fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<Result<(), LostConnection>> {
        while !self.calls.is_empty() {
            match Pin::new(&mut self.socket).poll_ready(context)? {
                Poll::Ready(()) => {}
                Poll::Pending => return Poll::Pending,
            }
            let length = self.frame_bytes();
            let frame = self.calls.split_to(length);
            Pin::new(&mut self.socket).start_send(Message::Binary(frame.freeze()))?;
            self.unflushed = true;
        }
        if !self.unflushed {
            return Poll::Ready(Ok(()));
        }
        let flushed = Pin::new(&mut self.socket).poll_flush(context)?;
        self.unflushed = flushed.is_pending();
        flushed.map(Ok)
    }

    /// Reads all that has arrived and hands out its replies. Ready when there was any; otherwise pending, and
    /// then the waker is called once there is more. Answers the server's pings on the way.
    ///
    /// # Errors
    ///
    /// When the connection is lost or the server broke the protocol; `on_reply` may have been called before.
    pub fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        mut on_reply: impl FnMut(Reply<'_>),
    ) -> Poll<Result<(), LostConnection>> {
        let mut any = false;
        while let Poll::Ready(next) = Pin::new(&mut self.socket).poll_next(context) {
            let frame = match next.ok_or(LostConnection::Ended)?? {
                Message::Binary(frame) => frame,
                Message::Close(close) => return Poll::Ready(Err(closed(close))),
                Message::Text(_) => return Poll::Ready(Err(LostConnection::Text)),
                // A ping was answered by the library.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
            };
            for reply in ReplyFrame::new(&frame)? {
                on_reply(reply?);
                any = true;
            }
        }
        if any { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Says goodbye and waits for the server's, at most two seconds.
    pub async fn close(mut self) {
        let goodbye = async {
            if self.socket.close(None).await.is_ok() {
                while let Some(Ok(_)) = self.socket.next().await {}
            }
        };
        // A server that does not answer loses the connection anyway.
        drop(tokio::time::timeout(CLOSE_TIMEOUT, goodbye).await);
    }

    /// How many of the waiting bytes the next frame takes: whole calls, at least one.
    fn frame_bytes(&mut self) -> usize {
        if self.calls.len() <= self.frame_bytes_max {
            self.lengths.clear();
            return self.calls.len();
        }
        let mut bytes = self.lengths.pop_front().unwrap_or(0);
        while let Some(next) = self.lengths.pop_front_if(|next| bytes + *next <= self.frame_bytes_max) {
            bytes += next;
        }
        bytes
    }
}

/// Waits for the server's first message.
async fn greeting(socket: &mut WebSocketStream<TcpStream>) -> Result<(), LostConnection> {
    loop {
        match socket.next().await.ok_or(LostConnection::Ended)?? {
            Message::Binary(frame) => return Ok(decode_initial_connection(&frame)?),
            Message::Close(close) => return Err(closed(close)),
            Message::Text(_) => return Err(LostConnection::Text),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

fn closed(close: Option<tokio_tungstenite::tungstenite::protocol::CloseFrame>) -> LostConnection {
    LostConnection::Closed(close.map_or_else(|| "no reason".to_owned(), |frame| frame.to_string()))
}
