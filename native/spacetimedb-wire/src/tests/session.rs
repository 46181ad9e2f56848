use super::*;

#[test]
fn a_reply_counts_once_and_only_for_what_was_asked() {
    let mut places = [Place::default(); 2];
    assert_eq!(end(&mut places, 0), None);
    let first = begin(&mut places, 1);
    assert_eq!(end(&mut places, first + (1 << PLACE_BITS)), None);
    assert_eq!(end(&mut places, first - 1), None);
    assert_eq!(end(&mut places, first), Some(1));
    assert_eq!(end(&mut places, first), None);
    let second = begin(&mut places, 1);
    assert_ne!(second, first);
    assert_eq!(end(&mut places, first), None);
    assert_eq!(end(&mut places, second), Some(1));
    assert_eq!(end(&mut places, 2), None);
}

#[test]
fn the_deepest_session_numbers_every_place() {
    let mut places = vec![Place { operation: u16::MAX, is_outstanding: false }; Session::DEPTH_MAX as usize];
    let last = begin(&mut places, Session::DEPTH_MAX - 1);
    assert_eq!(last, Session::DEPTH_MAX - 1);
    assert_eq!(end(&mut places, last), Some(Session::DEPTH_MAX - 1));
}
