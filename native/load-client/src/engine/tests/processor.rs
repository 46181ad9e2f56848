use super::*;
use crate::clock::MS;

#[test]
fn a_thread_that_spins_is_busy_and_one_that_sleeps_is_not() {
    let utilization_of = |work: fn(Nanos)| {
        let mut processor = ProcessorTime::default();
        let (from, until) = (now(), now() + 100 * MS);
        processor.note(from, from, until);
        work(until);
        processor.note(until, from, until);
        processor.utilization()
    };
    let spinning = utilization_of(|until| while now() < until {});
    let sleeping = utilization_of(|_| std::thread::sleep(std::time::Duration::from_millis(100)));
    assert!(spinning > 0.2, "even on a machine that others use: {spinning}");
    assert!(sleeping < 0.05, "{sleeping}");
}
