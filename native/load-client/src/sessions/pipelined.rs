//! A session over one TCP connection on which replies come in the order of the requests. The codec reads and writes;
//! reconnecting, pipelining and doubts after a loss are the same for all.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use fair_bench_workload::Values;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;

use super::codec::{Codec, Decoded};
use super::{LocalFuture, Place, Session};
use crate::outcome::{FaultCode, Outcome};

/// Why there is no connection; nothing was sent.
pub(crate) struct Refusal {
    pub(crate) code: FaultCode,
    pub(crate) reason: String,
}

impl Refusal {
    pub(crate) fn connection(reason: impl Into<String>) -> Self {
        Self { code: FaultCode::ConnectionRefused, reason: reason.into() }
    }
}

/// A connection that is ready for the first request, its codec, and bytes received after the handshake.
pub(crate) type Opened<C> = Result<(TcpStream, C), Refusal>;

/// Opens a connection of a session.
pub(crate) type Open<C> = Rc<dyn Fn() -> LocalFuture<Opened<C>>>;

const READ_BYTES: usize = 64 * 1024;
const FAREWELL_MAX: Duration = Duration::from_secs(2);

thread_local! {
    /// A read buffer for all sessions of a thread, because only one of them is polled at a time.
    static INPUT: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into_boxed_slice());
}

pub(crate) struct Pipelined<C> {
    open: Open<C>,
    state: State<C>,
}

enum State<C> {
    Live(Box<Live<C>>),
    /// Reconnecting, with the operations that wait for it.
    Opening(LocalFuture<Opened<C>>, Vec<(Place, Values)>),
    Lost,
}

struct Live<C> {
    stream: TcpStream,
    codec: C,
    /// Requests not yet written, from `flushed` on.
    output: Vec<u8>,
    flushed: usize,
    /// Bytes of all requests so far, and of the written part.
    encoded_total: u64,
    written_total: u64,
    outstanding: VecDeque<Request>,
    /// The beginning of a reply whose rest is not there yet.
    input: Vec<u8>,
}

struct Request {
    place: Place,
    operation: u32,
    /// Its place among all bytes: an unwritten request cannot have been applied.
    begins_at: u64,
}

impl<C: Codec> Pipelined<C> {
    /// Opens the first connection.
    pub(crate) async fn connect(open: Open<C>) -> Result<Self, Refusal> {
        let (stream, codec) = open().await?;
        Ok(Self { state: State::Live(Live::boxed(stream, codec)), open })
    }
}

impl<C: Codec> Session for Pipelined<C> {
    fn send(&mut self, place: Place, values: &Values) {
        match &mut self.state {
            State::Live(live) => live.send(place, values),
            State::Opening(_, waiting) => waiting.push((place, values.clone())),
            State::Lost => self.state = State::Opening((self.open)(), vec![(place, values.clone())]),
        }
    }

    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Vec<(Place, Outcome)>) -> Poll<()> {
        loop {
            match &mut self.state {
                State::Live(live) => match live.poll(context, outcomes) {
                    Poll::Ready(Ok(())) => return Poll::Ready(()),
                    Poll::Ready(Err(loss)) => {
                        live.lose(loss, outcomes);
                        self.state = State::Lost;
                        return if outcomes.is_empty() { Poll::Pending } else { Poll::Ready(()) };
                    }
                    Poll::Pending => return Poll::Pending,
                },
                State::Opening(opening, waiting) => match opening.as_mut().poll(context) {
                    Poll::Ready(Ok((stream, codec))) => {
                        let mut live = Live::boxed(stream, codec);
                        for (place, values) in waiting {
                            live.send(*place, values);
                        }
                        self.state = State::Live(live);
                    }
                    Poll::Ready(Err(Refusal { code, reason })) => {
                        let refused = |(place, _)| (place, Outcome::refused(code, reason.as_str()));
                        outcomes.extend(waiting.drain(..).map(refused));
                        self.state = State::Lost;
                        return Poll::Ready(());
                    }
                    Poll::Pending => return Poll::Pending,
                },
                State::Lost => return Poll::Pending,
            }
        }
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(async move {
            let State::Live(live) = self.state else { return };
            let Live { mut stream, codec, outstanding, .. } = *live;
            if !outstanding.is_empty() {
                return;
            }
            let good_order = async {
                stream.write_all(codec.farewell()).await?;
                stream.shutdown().await?;
                // The end of the server's side means that its session is over.
                while stream.read(&mut [0; 512]).await? > 0 {}
                io::Result::Ok(())
            };
            // In any case the connection is dropped.
            let _end = tokio::time::timeout(FAREWELL_MAX, good_order).await;
        })
    }
}

/// How a connection was lost.
enum Loss {
    Ended(String),
    Broken(String),
}

impl<C: Codec> Live<C> {
    fn boxed(stream: TcpStream, codec: C) -> Box<Self> {
        Box::new(Self {
            stream,
            codec,
            output: Vec::new(),
            flushed: 0,
            encoded_total: 0,
            written_total: 0,
            outstanding: VecDeque::new(),
            input: Vec::new(),
        })
    }

    #[inline]
    fn send(&mut self, place: Place, values: &Values) {
        let before = self.output.len();
        let request = Request { place, operation: values.operation, begins_at: self.encoded_total };
        self.outstanding.push_back(request);
        self.codec.encode(values, &mut self.output);
        self.encoded_total += (self.output.len() - before) as u64;
    }

    #[inline]
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        outcomes: &mut Vec<(Place, Outcome)>,
    ) -> Poll<Result<(), Loss>> {
        // The server's last message is read even when nothing can be written any more.
        let unwritable = self.flush(context).err();
        let read = INPUT.with_borrow_mut(|buffer| self.read(context, buffer, outcomes));
        match (read, unwritable) {
            (Poll::Pending, Some(loss)) => Poll::Ready(Err(loss)),
            (read, _) => read,
        }
    }

    #[inline]
    fn flush(&mut self, context: &mut Context<'_>) -> Result<(), Loss> {
        while self.flushed < self.output.len() {
            match Pin::new(&mut self.stream).poll_write(context, &self.output[self.flushed..]) {
                Poll::Ready(Ok(0)) => return Err(Loss::Ended("nothing can be written to it".to_owned())),
                Poll::Ready(Ok(count)) => {
                    self.flushed += count;
                    self.written_total += count as u64;
                }
                Poll::Ready(Err(error)) => return Err(Loss::Ended(error.to_string())),
                Poll::Pending => return Ok(()),
            }
        }
        self.output.clear();
        self.flushed = 0;
        Ok(())
    }

    /// Until a reply is complete, nothing more has arrived, or the connection has ended.
    #[inline]
    fn read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
        outcomes: &mut Vec<(Place, Outcome)>,
    ) -> Poll<Result<(), Loss>> {
        loop {
            let mut filled = ReadBuf::new(buffer);
            match Pin::new(&mut self.stream).poll_read(context, &mut filled) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(Loss::Ended(error.to_string()))),
                Poll::Ready(Ok(())) => {}
            }
            let arrived = filled.filled();
            if arrived.is_empty() {
                return Poll::Ready(Err(Loss::Ended("the server ended the connection".to_owned())));
            }
            let read = if self.input.is_empty() {
                let taken = decode_all(&mut self.codec, &mut self.outstanding, arrived, outcomes);
                taken.map(|taken| self.input.extend_from_slice(&arrived[taken..]))
            } else {
                self.input.extend_from_slice(arrived);
                let taken = decode_all(&mut self.codec, &mut self.outstanding, &self.input, outcomes);
                taken.map(|taken| drop(self.input.drain(..taken)))
            };
            if let Err(reason) = read {
                return Poll::Ready(Err(Loss::Broken(reason)));
            }
            if !outcomes.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    fn lose(&mut self, loss: Loss, outcomes: &mut Vec<(Place, Outcome)>) {
        let (reason, mut first) = match loss {
            Loss::Ended(reason) => (reason, self.codec.last_words()),
            Loss::Broken(reason) => {
                let broken = Outcome::in_doubt(FaultCode::ProtocolError, reason.as_str());
                (reason, Some(broken))
            }
        };
        for Request { place, begins_at, .. } in self.outstanding.drain(..) {
            let outcome = first.take().unwrap_or_else(|| {
                if begins_at < self.written_total {
                    Outcome::in_doubt(FaultCode::ConnectionLost, reason.as_str())
                } else {
                    Outcome::refused(FaultCode::ConnectionRefused, reason.as_str())
                }
            });
            outcomes.push((place, outcome));
        }
    }
}

/// Passes every complete reply to the oldest request; returns how much of the input was used.
#[inline]
fn decode_all<C: Codec>(
    codec: &mut C,
    outstanding: &mut VecDeque<Request>,
    input: &[u8],
    outcomes: &mut Vec<(Place, Outcome)>,
) -> Result<usize, String> {
    let mut taken = 0;
    while taken < input.len() {
        let operation = outstanding.front().map_or(0, |request| request.operation);
        match codec.decode(operation, &input[taken..]) {
            Decoded::Reply(length, outcome) => {
                let Some(Request { place, .. }) = outstanding.pop_front() else {
                    return Err("the server replied to no request".to_owned());
                };
                outcomes.push((place, outcome));
                taken += length;
            }
            Decoded::More(length) => return Ok(taken + length),
            Decoded::Broken(reason) => return Err(reason),
        }
    }
    Ok(taken)
}
