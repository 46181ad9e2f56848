use std::time::Duration;

use super::Alarm;
use crate::clock::{MS, NEVER, Nanos, now};

/// How late it is at the median of 41 waits that end at any part of a millisecond.
async fn lateness(alarm: &Alarm) -> Nanos {
    let mut late = Vec::new();
    for number in 0..41 {
        let at = now() + 2 * MS + number * MS / 41;
        alarm.at(at).await.expect("a timer");
        let rung = now();
        assert!(rung >= at, "it rang {} ns too soon", at - rung);
        late.push(rung - at);
    }
    late.sort_unstable();
    late[late.len() / 2]
}

async fn ring() {
    let alarm = Alarm::new().expect("a timer");
    // A time that was given up does not ring the next one.
    let given_up = tokio::time::timeout(Duration::from_millis(1), alarm.at(NEVER)).await;
    assert!(given_up.is_err());
    let soon = tokio::time::timeout(Duration::from_millis(1), alarm.at(now() + 3 * MS)).await;
    assert!(soon.is_err());
    let before = now();
    tokio::time::sleep(Duration::from_millis(5)).await;
    alarm.at(before + 9 * MS).await.expect("a timer");
    assert!(now() >= before + 9 * MS);
    // A time that is over rings at once.
    alarm.at(1).await.expect("a timer");
    let late = lateness(&alarm).await;
    assert!(!cfg!(target_os = "linux") || late < MS / 4, "late by {late} ns");
}

#[test]
fn an_alarm_rings_at_its_time_and_not_a_millisecond_later() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(ring());
}
