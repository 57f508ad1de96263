//! Uneven draws: some blocks are more popular than others.
//!
//! A draw gives a rank, rank 0 being the most popular; a permutation spreads the ranks over the
//! region as fio does with a hash, so that popular blocks are not neighbours.

use super::{Permutation, Random};
use crate::workload::spec::{Distribution, Zone, ZoneLength};

/// Draws one of `n` blocks.
pub(super) struct Skew {
    n: u64,
    rank: Rank,
    order: Permutation,
    /// Added to the place of every rank.
    shift: u64,
}

enum Rank {
    Zipf(Zipf),
    /// The exponent that gives the share `1 - h` of the draws to the share `h` of the blocks.
    Pareto(f64),
    /// Standard deviation in blocks.
    Normal(f64),
    /// Upper end of the share in hundredths, first block, number of blocks.
    Zones(Vec<(u64, u64, u64)>),
}

impl Skew {
    /// `n` blocks of `step` bytes; `None`: all are alike.
    pub(super) fn new(
        distribution: &Distribution,
        way: usize,
        n: u64,
        step: u64,
        seed: u64,
    ) -> Option<Self> {
        let (rank, center) = match distribution {
            Distribution::Even => return None,
            Distribution::Zipf { theta, center } => (Rank::Zipf(Zipf::new(n, *theta)), *center),
            Distribution::Pareto { h, center } => (Rank::Pareto(h.ln() / (1.0 - h).ln()), *center),
            Distribution::Normal { percent, center } => {
                (Rank::Normal(n as f64 * percent / 100.0), *center)
            }
            Distribution::Zones(zones) => (Rank::Zones(placed(&zones[way], n, step)), None),
        };
        let order = Permutation::new(n, seed);
        let shift = match center {
            Some(center) if n > 0 => {
                let wanted = ((n as f64 * center) as u64).min(n - 1);
                (wanted + n - order.at(0)) % n
            }
            _ => 0,
        };
        Some(Self {
            n,
            rank,
            order,
            shift,
        })
    }

    /// A block below `n`, which is at least 1.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let rank = match &self.rank {
            Rank::Zipf(zipf) => zipf.draw(random),
            Rank::Pareto(power) => (self.n as f64 * unit(random).powf(*power)) as u64,
            Rank::Normal(deviation) => (normal(random).abs() * 2.0 * deviation) as u64 % self.n,
            Rank::Zones(zones) => return zone(zones, random),
        };
        let at = self.order.at(rank.min(self.n - 1)) + self.shift;
        if at >= self.n { at - self.n } else { at }
    }
}

/// A number from 0 up to, but not 1.
fn unit(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// A standard normal number (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(random)).cos()
}

/// Zones laid one after another over `n` blocks.
fn placed(zones: &[Zone], n: u64, step: u64) -> Vec<(u64, u64, u64)> {
    let (mut share, mut first) = (0, 0);
    let mut out = Vec::new();
    for zone in zones {
        share += zone.percent;
        let blocks = match zone.length {
            ZoneLength::Percent(percent) => (u128::from(n) * u128::from(percent) / 100) as u64,
            ZoneLength::Bytes(bytes) => bytes / step.max(1),
        };
        // A zone past the end of the region shares its last block.
        let start = first.min(n.saturating_sub(1));
        out.push((share, start, blocks.min(n - start).max(1)));
        first = start + blocks.min(n - start);
    }
    out
}

fn zone(zones: &[(u64, u64, u64)], random: &mut Random) -> u64 {
    let all = zones.last().map_or(1, |zone| zone.0);
    let roll = random.below(all);
    match zones.iter().find(|zone| roll < zone.0) {
        Some((_, first, blocks)) => first + random.below(*blocks),
        None => 0,
    }
}

/// Ranks with probability in proportion to 1 / (rank + 1)^theta, without a table: the curve is
/// inverted and what lies above the steps is drawn again (rejection-inversion, Hörmann and
/// Derflinger 1996).
struct Zipf {
    n: f64,
    theta: f64,
    first: f64,
    last: f64,
    sure: f64,
}

impl Zipf {
    fn new(n: u64, theta: f64) -> Self {
        let mut zipf = Self {
            n: n as f64,
            theta,
            first: 0.0,
            last: 0.0,
            sure: 0.0,
        };
        zipf.first = zipf.area(1.5) - 1.0;
        zipf.last = zipf.area(zipf.n + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.area(2.5) - 2f64.powf(-theta));
        zipf
    }

    /// The area below x^-theta from 1 on.
    fn area(&self, x: f64) -> f64 {
        if self.theta == 1.0 {
            return x.ln();
        }
        (x.powf(1.0 - self.theta) - 1.0) / (1.0 - self.theta)
    }

    fn inverse(&self, area: f64) -> f64 {
        if self.theta == 1.0 {
            return area.exp();
        }
        (1.0 + area * (1.0 - self.theta)).powf(1.0 / (1.0 - self.theta))
    }

    fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.last + unit(random) * (self.first - self.last);
            let x = self.inverse(area);
            let k = x.round().clamp(1.0, self.n.max(1.0));
            if k - x <= self.sure || area >= self.area(k + 0.5) - k.powf(-self.theta) {
                return k as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u64 = 16_384;
    const DRAWS: usize = 200_000;

    /// How often each block was drawn.
    fn counts(distribution: &Distribution) -> Vec<u64> {
        let skew = Skew::new(distribution, 0, N, 4096, 7).unwrap();
        let (mut random, mut counts) = (Random::new(1), vec![0; N as usize]);
        for _ in 0..DRAWS {
            counts[skew.draw(&mut random) as usize] += 1;
        }
        counts
    }

    /// The share of the draws that the most popular `blocks` got.
    fn top(mut counts: Vec<u64>, blocks: usize) -> f64 {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts[..blocks].iter().sum::<u64>() as f64 / DRAWS as f64
    }

    #[test]
    fn zipf_follows_its_law_exactly() {
        for theta in [0.8, 1.0, 1.2, 2.0] {
            let counts = counts(&Distribution::Zipf {
                theta,
                center: None,
            });
            let weight = |k: usize| (k as f64).powf(-theta);
            let all: f64 = (1..=N as usize).map(weight).sum();
            for blocks in [1, 10] {
                let expected = (1..=blocks).map(weight).sum::<f64>() / all;
                let got = top(counts.clone(), blocks);
                // Six standard deviations of a binomial share.
                let off = 6.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
                assert!(
                    (got - expected).abs() <= off,
                    "{theta} {blocks}: {got} {expected}"
                );
            }
        }
    }

    #[test]
    fn pareto_gives_the_share_it_is_named_for() {
        // h = 0.2: four fifths of the draws go to one fifth of the blocks. fio 3.33 shows 0.828 for
        // 65,536 draws, where the sorting favours chance.
        let counts = counts(&Distribution::Pareto {
            h: 0.2,
            center: None,
        });
        let got = top(counts, N as usize / 5);
        assert!((0.79..0.83).contains(&got), "{got}");
    }

    #[test]
    fn the_most_popular_block_lies_at_the_center() {
        // fio 3.33 with zipf:1.2:0.25 over 16,384 blocks: block 4096.
        let counts = counts(&Distribution::Zipf {
            theta: 1.2,
            center: Some(0.25),
        });
        let most = (0..counts.len()).max_by_key(|i| counts[*i]);
        assert_eq!(most, Some(4096));
    }

    #[test]
    fn zones_get_their_shares() {
        let zone = |percent, length| Zone {
            percent,
            length: ZoneLength::Percent(length),
        };
        let zones = vec![zone(60, 10), zone(30, 20), zone(10, 70)];
        let counts = counts(&Distribution::Zones([zones, Vec::new(), Vec::new()]));
        let part = |from: u64, to: u64| {
            let range = (N * from / 100) as usize..(N * to / 100) as usize;
            counts[range].iter().sum::<u64>() as f64 / DRAWS as f64
        };
        for (got, expected) in [
            (part(0, 10), 0.6),
            (part(10, 30), 0.3),
            (part(30, 100), 0.1),
        ] {
            assert!((got - expected).abs() < 0.01, "{got} {expected}");
        }
    }
}
