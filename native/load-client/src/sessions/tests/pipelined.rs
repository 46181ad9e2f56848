use std::future::poll_fn;
use std::thread::sleep;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::super::session::Spare;
use super::*;
use crate::outcome::Verdict;

const UNDONE: u8 = b'u';
const APPLIED: u8 = b'a';
const INCOMPLETE: u8 = b'i';
/// Longer than a batch waits until it is sent again for the first time.
const SLOW: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(2);

/// Its requests and replies have one byte, and it takes its time over an incomplete reply, as on a processor that others use.
struct SlowDouble;

impl Codec for SlowDouble {
    fn encode(&mut self, _values: &Values, output: &mut Vec<u8>) {
        output.push(b'r');
    }

    fn decode(&mut self, _operation: u32, input: &[u8], _spare: &mut Spare) -> Decoded {
        match input[0] {
            UNDONE => Decoded::Reply(1, Outcome::refused(FaultCode::Deadlock, "undone")),
            APPLIED => Decoded::Reply(1, Outcome::APPLIED),
            _ => {
                sleep(SLOW);
                Decoded::More(input.len())
            }
        }
    }

    const UNDOES: bool = true;

    fn encode_batch(&mut self, _batch: &[Values], output: &mut Vec<u8>) {
        output.push(b'b');
    }

    fn decode_batch(&mut self, operations: &[u32], input: &[u8], _spare: &mut Spare) -> DecodedBatch {
        let outcome = match input[0] {
            UNDONE => Outcome::refused(FaultCode::Deadlock, "undone"),
            APPLIED => Outcome::APPLIED,
            _ => return DecodedBatch::More(1),
        };
        DecodedBatch::Reply(1, vec![outcome; operations.len()])
    }

    fn is_undone(&self, outcome: &Outcome) -> bool {
        matches!(outcome.verdict, Verdict::Fault(_))
    }

    fn last_words(&mut self) -> Option<Outcome> {
        None
    }

    fn farewell(&self) -> &'static [u8] {
        b""
    }
}

/// It undoes the first request, and applies the second.
async fn serve(listener: TcpListener) -> io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    for reply in [&[UNDONE, INCOMPLETE][..], &[APPLIED]] {
        stream.read_exact(&mut [0]).await?;
        stream.write_all(reply).await?;
    }
    Ok(())
}

async fn sends_again(has_several: bool) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let stream = TcpStream::connect(listener.local_addr()?).await?;
    let mut link = Pipelined::new(Stream::Plain(stream), SlowDouble);
    let mut outcomes = Outcomes::default();
    let batch = [Values::default(), Values::default()];
    if has_several {
        link.send_batch(3, &batch)
    } else {
        link.send(3, &batch[0])
    }
    let answered = poll_fn(|context| link.poll(context, &mut outcomes));
    let (served, answered) = tokio::join!(serve(listener), timeout(PATIENCE, answered));
    served?;
    answered.expect("the request is sent again").expect("the connection lasts");
    let mut expected = vec![(3, Outcome { retries: 1, ..Outcome::APPLIED })];
    expected.extend(has_several.then_some((3, Outcome::APPLIED)));
    assert_eq!(outcomes.settled, expected);
    Ok(())
}

#[test]
fn a_request_that_is_due_again_before_its_connection_is_left_is_written() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for has_several in [true, false] {
        runtime.block_on(sends_again(has_several)).expect("a server on loopback");
    }
}
