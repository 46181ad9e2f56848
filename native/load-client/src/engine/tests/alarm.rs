use std::time::Duration;

use super::Alarm;
use crate::clock::{MS, NEVER, now};

async fn ring() {
    let alarm = Alarm::new().expect("a timer");
    // A time that was given up does not ring the next one, whether it is over by then or not.
    let given_up = tokio::time::timeout(Duration::from_millis(1), alarm.at(NEVER)).await;
    assert!(given_up.is_err());
    let soon = now() + 30 * MS;
    let given_up = tokio::time::timeout(Duration::from_millis(1), alarm.at(soon)).await;
    assert!(given_up.is_err());
    std::thread::sleep(Duration::from_millis(40));
    let later = soon + 60 * MS;
    alarm.at(later).await.expect("a timer");
    assert!(now() >= later, "it rang {} ns too soon", later - now());
    // A time that is over rings at once.
    alarm.at(1).await.expect("a timer");
    for number in 0..20 {
        let at = now() + MS + number * MS / 20;
        alarm.at(at).await.expect("a timer");
        assert!(now() >= at, "it rang {} ns too soon", at - now());
    }
}

#[test]
fn an_alarm_rings_at_its_time_and_not_at_one_that_was_given_up() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(ring());
}
