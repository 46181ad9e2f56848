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
    // How much of the time the thread gets, and when it loses it between two readings, others who use the machine decide.
    let closest_of = |work: fn(Nanos)| {
        let tries: Vec<(f64, f64)> = (0..5).map(|_| difference_of(work)).collect();
        tries.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("five tries")
    };
    let (spinning, difference) = closest_of(|until| while now() < until {});
    assert!(difference < 0.02, "{difference} beside {spinning}");
    let (sleeping, difference) = closest_of(|_| std::thread::sleep(std::time::Duration::from_millis(100)));
    assert!(sleeping < spinning && difference < 0.02, "{difference} beside {sleeping}");
}
