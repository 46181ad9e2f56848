use super::*;

const DRAWS: usize = 20_000;
const STATE: [u32; 4] = [1, 2, 3, 4];

#[test]
fn a_guide_changes_no_draw() {
    for exponent in [0.2, 0.5, 0.99, 1.0, 1.0005, 1.3, 2.0] {
        for (first, last) in [(1, 1), (1, 2), (2, 9), (1, 1_000), (1, 100_000), (1, 10_000_000_000)] {
            let guided = RankSampler::guided(exponent, first, last);
            let plain = RankSampler::new(exponent, first, last);
            let (mut one, mut other) = (Xoshiro128::new(STATE), Xoshiro128::new(STATE));
            for draw in 0..DRAWS {
                let ranks = (guided.rank(&mut one), plain.rank(&mut other));
                assert_eq!(ranks.0, ranks.1, "draw {draw} of {first} … {last} by {exponent}");
            }
        }
    }
}
