use super::*;

fn open(interval: f64, slots: u32) -> Pace {
    let free = (0..slots).collect();
    Pace::Open(OpenLoop { free, start: 1000, ..OpenLoop::new(interval, 0.0) })
}

#[test]
fn an_open_loop_keeps_its_schedule_and_starts_the_backlog_earliest_due_first() {
    let mut pace = open(10.0, 1);
    assert!(pace.start_due(999).is_none());
    let first = pace.start_due(1000).expect("the first is due at the start");
    assert_eq!((first.slot, first.due), (0, 1000));
    assert!(pace.start_due(1035).is_none(), "the only slot is taken");
    assert_eq!(pace.next(0, 1035), Some(1010));
    assert_eq!(pace.next(0, 1036), Some(1020));
    assert_eq!(pace.next(0, 1036), Some(1030));
    assert_eq!(pace.next(0, 1036), None);
    assert_eq!(pace.wake_at(1036), 1040);
}

#[test]
fn starts_that_are_never_made_wait_until_the_end() {
    let mut pace = open(1e6, 1);
    pace.set_window(1000 + 1_500_000, 1000 + 5_500_000);
    assert!(pace.start_due(1000 + 1_000_000).is_some_and(|start| start.due == 1000));
    assert_eq!(pace.next(0, 1000 + 1_600_000), Some(1000 + MS));
    let offered = pace.offered().expect("the loop is open");
    assert_eq!((offered.due, offered.started), (4, 1), "due at 2, 3, 4 and 5 ms");
    assert_eq!((offered.waiting, offered.waiting_longest), (4, 3_500_000));
}

#[test]
fn a_closed_loop_spreads_its_first_operations() {
    let mut pace = Pace::Closed(ClosedLoop { spread: 100.0, slots: 4, begun: 0, start: 0, until: NEVER });
    let mut due_at = |now| std::iter::from_fn(|| pace.start_due(now)).count();
    assert_eq!([due_at(0), due_at(24), due_at(25), due_at(80), due_at(500)], [1, 0, 1, 2, 0]);
}
