use super::*;

#[test]
fn a_ramp_is_not_steady_and_a_level_is() {
    let ramp: Vec<f64> = (1..=8).map(f64::from).collect();
    assert!(!is_steady(&ramp));
    assert!(is_steady(&[100.0; 8]));
    assert!(!is_steady(&[100.0; 7]));
    assert!(!is_steady(&[0.0; 8]));
}

#[test]
fn noise_around_a_level_is_steady() {
    assert!(is_steady(&[100.0, 80.0, 110.0, 90.0, 120.0, 85.0, 105.0, 95.0]));
}

#[test]
fn drift_is_the_change_over_the_whole_series() {
    assert_eq!(drift_of(&[100.0, 110.0, 120.0]), 3.0 * 10.0 / 110.0);
    assert_eq!(drift_of(&[1.0, 2.0]), 0.0);
}
