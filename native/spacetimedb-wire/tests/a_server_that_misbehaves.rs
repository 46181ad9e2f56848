//! What a real server cannot be made to do, by a double of it.

mod support;

use fair_bench_spacetimedb_wire::{Endpoint, Outcome, Protocols, Session};
use futures_util::{SinkExt, StreamExt};
use support::{call, transfer};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

const CALL_BYTES: usize = 38;

/// Accepts as SpacetimeDB does, and then does what the test wants.
struct ServerDouble {
    listener: TcpListener,
    protocol: &'static str,
}

impl ServerDouble {
    async fn new(protocol: &'static str) -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.expect("a free port"), protocol }
    }

    /// A session and the server's end of its connection.
    async fn connect(&self) -> (Session, WebSocketStream<TcpStream>) {
        let port = self.listener.local_addr().expect("an address").port();
        let endpoint = Endpoint::new(&format!("http://127.0.0.1:{port}"), "db", true).expect("an endpoint");
        let (session, socket) =
            tokio::join!(Session::connect(&endpoint, Protocols::Newest, 40), self.accept());
        (session.expect("a session"), socket)
    }

    async fn accept(&self) -> WebSocketStream<TcpStream> {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        #[allow(clippy::result_large_err, reason = "the handshake wants this type of its callback")]
        let choose = |request: &Request, mut response: Response| {
            assert_eq!(request.uri(), "/v1/database/db/subscribe?compression=None&confirmed=true");
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(self.protocol));
            Ok(response)
        };
        let mut socket = accept_hdr_async(stream, choose).await.expect("a WebSocket");
        let greeting = [&[0; 2][..], &[7; 48], &[0; 4]].concat();
        socket.send(Message::Binary(greeting.into())).await.expect("the greeting is sent");
        socket
    }
}

/// Sends as many transfers at once and returns the calls' frames as the server reads them.
async fn frames_of(
    session: &mut Session,
    socket: &mut WebSocketStream<TcpStream>,
    count: u32,
) -> Vec<Vec<u8>> {
    for place in 0..count {
        session.send(place, call(&transfer(1, 2, 3)));
    }
    std::future::poll_fn(|context| {
        assert!(session.poll(context, |_, _| {}).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    let mut frames: Vec<Vec<u8>> = Vec::new();
    while frames.iter().map(Vec::len).sum::<usize>() < count as usize * CALL_BYTES {
        match socket.next().await {
            Some(Ok(Message::Binary(frame))) => frames.push(frame.to_vec()),
            other => panic!("{other:?}"),
        }
    }
    frames
}

/// A committed result for the call that begins a frame.
fn applied(call: &[u8]) -> Vec<u8> {
    [&[0, 6], &call[1..5], &[0; 8], &[1]].concat()
}

#[tokio::test(flavor = "current_thread")]
async fn calls_that_are_ready_together_share_a_frame_where_the_protocol_allows_it() {
    for (protocol, frames) in [("v3.bsatn.spacetimedb", 1), ("v2.bsatn.spacetimedb", 40)] {
        let (mut session, mut socket) = ServerDouble::new(protocol).await.connect().await;
        assert_eq!(frames_of(&mut session, &mut socket, 40).await.len(), frames, "{protocol}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_broken_protocol_ends_the_connection_with_what_is_outstanding() {
    let unasked = [&[0, 6], &[9; 4][..], &[0; 8], &[1]].concat();
    let compressed = vec![1, 6, 0];
    let subscription = vec![0, 4, 0, 0, 0, 0];
    for broken in [unasked, compressed, subscription, vec![0], vec![0, 6, 1]] {
        let server = ServerDouble::new("v3.bsatn.spacetimedb").await;
        let (mut session, mut socket) = server.connect().await;
        frames_of(&mut session, &mut socket, 3).await;
        socket.send(Message::Binary(broken.clone().into())).await.expect("it is sent");
        let settled = support::outcomes(&mut session, 3).await;
        assert_eq!(settled, [(0, Err(true)), (1, Err(true)), (2, Err(true))], "{broken:?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_reply_that_comes_twice_is_not_counted_twice() {
    let (mut session, mut socket) = ServerDouble::new("v3.bsatn.spacetimedb").await.connect().await;
    let frames = frames_of(&mut session, &mut socket, 2).await;
    let reply = applied(&frames[0]);
    socket.send(Message::Binary([&reply[..], &reply[1..]].concat().into())).await.expect("it is sent");
    let settled = support::outcomes(&mut session, 2).await;
    assert_eq!(settled, [(0, Ok(Outcome::Applied)), (1, Err(true))]);
}

#[tokio::test(flavor = "current_thread")]
async fn an_end_without_a_word_and_one_in_good_order_are_lost_connections() {
    for in_good_order in [false, true] {
        let (mut session, mut socket) = ServerDouble::new("v3.bsatn.spacetimedb").await.connect().await;
        frames_of(&mut session, &mut socket, 2).await;
        if in_good_order {
            socket.close(None).await.expect("it closes");
        } else {
            drop(socket);
        }
        assert_eq!(support::outcomes(&mut session, 2).await, [(0, Err(false)), (1, Err(false))]);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_ping_is_answered_while_nothing_is_sent() {
    let (mut session, mut socket) = ServerDouble::new("v3.bsatn.spacetimedb").await.connect().await;
    socket.send(Message::Ping(vec![1, 2].into())).await.expect("it is sent");
    let pong = tokio::select! {
        pong = socket.next() => pong,
        settled = support::outcomes(&mut session, 1) => panic!("{settled:?}"),
    };
    assert!(matches!(pong, Some(Ok(Message::Pong(ref payload))) if payload[..] == [1, 2]), "{pong:?}");
}
