//! A TCP connection on which replies come in the order of the requests. The codec reads and writes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::codec::{Codec, Decoded, DecodedBatch, Read};
use super::reconnecting::Link;
use super::session::{LocalFuture, Outcomes, Place};
use super::stream::Stream;
use super::undone::{Kept, Operations, RETRIES_MAX, Undone};
use crate::error::{Error, Result};
use crate::outcome::{FaultCode, Outcome};
use fair_bench_workload::Values;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};

const READ_BYTES: usize = 64 * 1024;
const FAREWELL_MAX: Duration = Duration::from_secs(2);

thread_local! {
    /// A read buffer for all sessions of a thread, because only one of them is polled at a time.
    static INPUT: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into_boxed_slice());
}

pub(crate) struct Pipelined<C> {
    stream: Stream,
    codec: C,
    /// Requests not yet written, from `flushed` on.
    output: Vec<u8>,
    flushed: usize,
    /// Bytes of all requests so far, and of the written part.
    encoded_total: u64,
    written_total: u64,
    outstanding: VecDeque<Request>,
    undone: Undone,
    /// The bytes of each place's last request of one operation, where the server may undo it.
    sent: Vec<Vec<u8>>,
    /// The beginning of a reply whose rest is not there yet.
    input: Vec<u8>,
}

struct Request {
    place: Place,
    operation: u32,
    /// Its place among all bytes: an unwritten request cannot have been applied.
    begins_at: u64,
    /// Of a batch, and of what is sent again.
    kept: Option<Box<Kept>>,
}

impl<C: Codec> Link for Pipelined<C> {
    #[inline]
    fn send(&mut self, place: Place, values: &Values) {
        let before = self.output.len();
        let begins_at = self.encoded_total;
        let request = Request { place, operation: values.operation, begins_at, kept: None };
        self.outstanding.push_back(request);
        self.codec.encode(values, &mut self.output);
        self.encoded_total += (self.output.len() - before) as u64;
        if C::UNDOES {
            self.keep(place, before);
        }
    }

    fn send_batch(&mut self, place: Place, batch: &[Values]) {
        let before = self.output.len();
        self.codec.encode_batch(batch, &mut self.output);
        let bytes = self.output[before..].to_vec();
        let operations = batch.iter().map(|values| values.operation).collect();
        self.push(place, Box::new(Kept { operations: Operations::Batch(operations), bytes, retries: 0 }));
    }

    #[inline]
    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<Result<()>> {
        loop {
            // The server's last message is read even when nothing can be written any more.
            let unwritable = self.flush(context).err();
            let read = INPUT.with_borrow_mut(|buffer| self.read(context, buffer, outcomes));
            let encoded = self.encoded_total;
            self.send_again(context);
            match (read, unwritable) {
                (Poll::Pending, Some(end)) => return Poll::Ready(Err(end)),
                // Nothing else would wake the connection to write what is sent again.
                (Poll::Pending, None) if self.encoded_total > encoded => {}
                (read, _) => return read,
            }
        }
    }

    fn lose(&mut self, end: Error, outcomes: &mut Outcomes) {
        let reason = end.to_string();
        let mut first = match end {
            Error::Broken(_) => Some(Outcome::in_doubt(FaultCode::ProtocolError, reason.as_str())),
            _ => self.codec.last_words(),
        };
        for (place, kept) in self.undone.drain() {
            // It was not sent for the last one that it counts.
            let retries = kept.retries.saturating_sub(1);
            let refused = || Outcome::refused(FaultCode::ConnectionRefused, reason.as_str());
            outcomes.push(place, Outcome { retries, ..refused() });
            (1..kept.operations.len()).for_each(|_| outcomes.push(place, refused()));
        }
        for Request { place, begins_at, kept, .. } in self.outstanding.drain(..) {
            let mut outcome = first.take().unwrap_or_else(|| {
                if begins_at < self.written_total {
                    Outcome::in_doubt(FaultCode::ConnectionLost, reason.as_str())
                } else {
                    Outcome::refused(FaultCode::ConnectionRefused, reason.as_str())
                }
            });
            let others = outcome.clone();
            outcome.retries += kept.as_ref().map_or(0, |kept| kept.retries);
            outcomes.push(place, outcome);
            for _ in 1..kept.map_or(1, |kept| kept.operations.len()) {
                outcomes.push(place, others.clone());
            }
        }
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        let Self { mut stream, codec, outstanding, undone, .. } = *self;
        Box::pin(async move {
            if !outstanding.is_empty() || !undone.is_empty() {
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

impl<C: Codec> Pipelined<C> {
    /// Over a stream that is ready for the first request.
    pub(crate) fn new(stream: Stream, codec: C) -> Self {
        Self {
            stream,
            codec,
            output: Vec::new(),
            flushed: 0,
            encoded_total: 0,
            written_total: 0,
            outstanding: VecDeque::new(),
            undone: Undone::default(),
            sent: Vec::new(),
            input: Vec::new(),
        }
    }

    /// A request whose bytes are at the end of the output.
    fn push(&mut self, place: Place, kept: Box<Kept>) {
        let (begins_at, length) = (self.encoded_total, kept.bytes.len() as u64);
        let operation = match &kept.operations {
            Operations::One(operation) => *operation,
            Operations::Batch(_) => 0,
        };
        self.outstanding.push_back(Request { place, operation, begins_at, kept: Some(kept) });
        self.encoded_total += length;
    }

    /// The end of the output, from a place on, in memory that is reused.
    #[inline]
    fn keep(&mut self, place: Place, from: usize) {
        let place = place as usize;
        if self.sent.len() <= place {
            self.sent.resize_with(place + 1, Vec::new);
        }
        let sent = &mut self.sent[place];
        sent.clear();
        sent.extend_from_slice(&self.output[from..]);
    }

    /// Those whose time it is; the connection is woken when the next one's is.
    #[inline]
    fn send_again(&mut self, context: &mut Context<'_>) {
        while let Some((place, kept)) = self.undone.due(context) {
            self.output.extend_from_slice(&kept.bytes);
            self.push(place, kept);
        }
    }

    #[inline]
    fn flush(&mut self, context: &mut Context<'_>) -> Result<()> {
        while self.flushed < self.output.len() {
            match Pin::new(&mut self.stream).poll_write(context, &self.output[self.flushed..]) {
                Poll::Ready(Ok(0)) => return Err(Error::Ended("nothing can be written to it".to_owned())),
                Poll::Ready(Ok(count)) => {
                    self.flushed += count;
                    self.written_total += count as u64;
                }
                Poll::Ready(Err(error)) => return Err(Error::Ended(error.to_string())),
                Poll::Pending => return Ok(()),
            }
        }
        self.output.clear();
        self.flushed = 0;
        // Encrypted bytes may wait in the stream; a plain one has none.
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Ready(Err(error)) => Err(Error::Ended(error.to_string())),
            _ => Ok(()),
        }
    }

    /// Until a reply is complete, nothing more has arrived, or the connection has ended.
    #[inline]
    fn read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
        outcomes: &mut Outcomes,
    ) -> Poll<Result<()>> {
        loop {
            let mut filled = ReadBuf::new(buffer);
            match Pin::new(&mut self.stream).poll_read(context, &mut filled) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(Error::Ended(error.to_string()))),
                Poll::Ready(Ok(())) => {}
            }
            let arrived = filled.filled();
            if arrived.is_empty() {
                return Poll::Ready(Err(Error::Ended("the server ended the connection".to_owned())));
            }
            let Self { codec, outstanding, undone, sent, .. } = self;
            let requests = (codec, outstanding, Again { undone, sent });
            let read = if self.input.is_empty() {
                let taken = decode_all(requests, arrived, outcomes);
                taken.map(|taken| self.input.extend_from_slice(&arrived[taken..]))
            } else {
                self.input.extend_from_slice(arrived);
                let taken = decode_all(requests, &self.input, outcomes);
                taken.map(|taken| drop(self.input.drain(..taken)))
            };
            if let Err(error) = read {
                return Poll::Ready(Err(*error));
            }
            if !outcomes.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// Where requests that were undone wait, and the bytes of those of one operation.
struct Again<'a> {
    undone: &'a mut Undone,
    sent: &'a [Vec<u8>],
}

/// Passes every complete reply to the oldest request; returns how much of the input was used.
#[inline]
fn decode_all<C: Codec>(
    (codec, outstanding, mut again): (&mut C, &mut VecDeque<Request>, Again<'_>),
    input: &[u8],
    outcomes: &mut Outcomes,
) -> Read<usize> {
    let mut taken = 0;
    while taken < input.len() {
        let front = outstanding.front();
        let kept = front.and_then(|request| request.kept.as_deref());
        if let Some(Kept { operations: Operations::Batch(operations), .. }) = kept {
            match codec.decode_batch(operations, &input[taken..], &mut outcomes.spare) {
                DecodedBatch::Reply(length, replies) => {
                    taken += length;
                    let request = outstanding.pop_front();
                    settle_batch(codec, (request, again.undone), replies, outcomes);
                    continue;
                }
                DecodedBatch::More(length) => return Ok(taken + length),
                DecodedBatch::Broken(error) => return Err(error),
            }
        }
        let operation = front.map_or(0, |request| request.operation);
        match codec.decode(operation, &input[taken..], &mut outcomes.spare) {
            Decoded::Reply(length, outcome) => {
                let Some(request) = outstanding.pop_front() else {
                    return Err(Error::broken("the server replied to no request").into());
                };
                taken += length;
                if C::UNDOES {
                    settle(codec, (request, &mut again), outcome, outcomes);
                } else {
                    outcomes.push(request.place, outcome);
                }
            }
            Decoded::More(length) => return Ok(taken + length),
            Decoded::Broken(error) => return Err(error),
        }
    }
    Ok(taken)
}

/// Passes an outcome on, unless the operation was undone and is sent again.
#[inline]
fn settle<C: Codec>(
    codec: &C,
    (request, again): (Request, &mut Again<'_>),
    mut outcome: Outcome,
    outcomes: &mut Outcomes,
) {
    let Request { place, operation, kept, .. } = request;
    let retries = kept.as_ref().map_or(0, |kept| kept.retries);
    if retries < RETRIES_MAX && codec.is_undone(&outcome) {
        let bytes = || again.sent.get(place as usize).cloned().unwrap_or_default();
        let first = || Box::new(Kept { operations: Operations::One(operation), bytes: bytes(), retries: 0 });
        let mut kept = kept.unwrap_or_else(first);
        kept.retries += 1;
        again.undone.push(place, kept);
        return;
    }
    outcome.retries += retries;
    outcomes.push(place, outcome);
}

/// Counts each sending of a batch beyond the first as one retry.
fn settle_batch<C: Codec>(
    codec: &C,
    (request, undone): (Option<Request>, &mut Undone),
    mut replies: Vec<Outcome>,
    outcomes: &mut Outcomes,
) {
    let Some(Request { place, kept: Some(mut kept), .. }) = request else { return };
    let is_undone = replies.first().is_some_and(|first| codec.is_undone(first));
    if is_undone && kept.retries < RETRIES_MAX {
        kept.retries += 1;
        undone.push(place, kept);
        return;
    }
    if let Some(first) = replies.first_mut() {
        first.retries += kept.retries;
    }
    replies.into_iter().for_each(|outcome| outcomes.push(place, outcome));
}

#[cfg(test)]
#[path = "tests/pipelined.rs"]
mod tests;
