use super::*;
use crate::clock::MS;

#[test]
fn a_thread_that_spins_is_busy_and_one_that_sleeps_is_not() {
    let difference_of = |work: fn(Nanos)| {
        let mut processor = ProcessorTime::default();
        let (from, until) = (now(), now() + 100 * MS);
        processor.note(from, from, until);
        let before = thread_cpu();
        work(until);
        let share = (thread_cpu() - before) as f64 / (100 * MS) as f64;
        processor.note(until, from, until);
        (share, (processor.utilization() - share).abs())
    };
    // How much of the time the thread gets, others who use the machine decide.
    let (spinning, difference) = difference_of(|until| while now() < until {});
    assert!(difference < 0.02, "{difference} beside {spinning}");
    let (sleeping, difference) = difference_of(|_| std::thread::sleep(std::time::Duration::from_millis(100)));
    assert!(sleeping < spinning && difference < 0.02, "{difference} beside {sleeping}");
}
