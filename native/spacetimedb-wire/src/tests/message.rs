use super::*;

const OK_EMPTY: [u8; 14] = [6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

#[test]
fn a_frame_may_hold_several_replies() {
    let frame = [&[0], &OK_EMPTY[..], &OK_EMPTY[..]].concat();
    let replies: Vec<_> = ReplyFrame::new(&frame).unwrap().collect();
    let reply = Ok(Reply { request_id: 7, result: ReplyResult::Ok });
    assert_eq!(replies, [reply, reply]);
}

#[test]
fn a_procedure_is_called_and_answered_as_in_v2() {
    let mut call = BytesMut::new();
    encode_call(7, Call { callee: Callee::Procedure, name: "look", arguments: &[9] }, &mut call);
    assert_eq!(call[..], [&[4, 7, 0, 0, 0, 0, 4, 0, 0, 0][..], b"look", &[1, 0, 0, 0, 9]].concat());
    let result = |status: &[u8]| [&[0, 7], status, &[0; 16], &[7, 0, 0, 0]].concat();
    let reply = |frame: &[u8], result: ReplyResult<'_>| {
        let replies: Vec<_> = ReplyFrame::new(frame).unwrap().collect();
        assert_eq!(replies, [Ok(Reply { request_id: 7, result })]);
    };
    reply(&result(&[0, 2, 0, 0, 0, 5, 6]), ReplyResult::Returned(&[5, 6]));
    reply(&result(&[1, 2, 0, 0, 0, b'n', b'o']), ReplyResult::InternalError(b"no"));
}

#[test]
fn every_truncation_of_a_frame_is_reported() {
    let err = [&[0, 6, 1, 0, 0, 0], &[0; 8][..], &[2, 3, 0, 0, 0, b'a', b'b', b'c']].concat();
    assert_eq!(ReplyFrame::new(&err).unwrap().count(), 1);
    for length in 2..err.len() {
        let replies: Vec<_> = ReplyFrame::new(&err[..length]).unwrap().collect();
        assert_eq!(replies, [Err(DecodeError::Truncated)], "at {length}");
    }
}

#[test]
fn what_no_call_of_ours_brings_about_is_an_error() {
    fn first(frame: &[u8]) -> Result<Option<Result<Reply<'_>, DecodeError>>, DecodeError> {
        ReplyFrame::new(frame).map(|mut replies| replies.next())
    }
    assert_eq!(first(&[]).unwrap_err(), DecodeError::Empty);
    assert_eq!(first(&[0]).unwrap_err(), DecodeError::Empty);
    assert_eq!(first(&[2, 6]).unwrap_err(), DecodeError::Compressed(2));
    assert_eq!(first(&[0, 4, 0, 0, 0, 0]), Ok(Some(Err(DecodeError::UnexpectedMessage(4)))));
    let outcome = |bytes: &[u8]| [&[0], &OK_EMPTY[..13], bytes].concat();
    assert_eq!(first(&outcome(&[4])), Ok(Some(Err(DecodeError::UnknownOutcome(4)))));
    let rows = outcome(&[0, 0, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(first(&rows), Ok(Some(Err(DecodeError::UnexpectedRows))));
}

#[test]
fn the_first_frame_is_the_connection_and_nothing_else() {
    let hello = [&[0, 0], &[9; 48][..], &[2, 0, 0, 0, b't', b'k']].concat();
    assert_eq!(decode_initial_connection(&hello), Ok(()));
    assert_eq!(decode_initial_connection(&hello[..50]), Err(DecodeError::Truncated));
    assert_eq!(decode_initial_connection(&[0, 6]), Err(DecodeError::UnexpectedMessage(6)));
    assert_eq!(
        decode_initial_connection(&[&hello[..], &[6]].concat()),
        Err(DecodeError::UnexpectedMessage(6))
    );
}
