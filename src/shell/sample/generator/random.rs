//! Random numbers that are the same everywhere and for ever.
//!
//! SplitMix64: a counter that grows by a constant, its value mixed by two multiplications. Draws use integers alone,
//! since floating-point functions differ in their last bit between platforms. Changing anything here changes every
//! generated data set, and with them what the sample queries read.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A stream of its own for each name, so that data sets of one seed have nothing in common.
    pub fn named(seed: u64, name: &str) -> Self {
        let mut mixed = Self::new(seed);
        for byte in name.bytes() {
            mixed.state = mixed.next() ^ u64::from(byte);
        }
        mixed
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `limit - 1`; 0 where `limit` is 0. The upper half of a product, whose bias is below
    /// `limit / 2^64`.
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(limit);
        u64::try_from(product >> 64).unwrap_or_default()
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let choices = most.saturating_sub(least).unsigned_abs().saturating_add(1);
        least.saturating_add_unsigned(self.below(choices))
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of some things; the first of them if there is but one.
    ///
    /// # Panics
    /// On an empty list.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        let index = self.index(things.len());
        #[allow(clippy::indexing_slicing, reason = "an index below the length")]
        &things[index]
    }

    /// An index into something of this length.
    pub fn index(&mut self, length: usize) -> usize {
        let limit = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(limit)).unwrap_or_default()
    }
}

/// Indices that are drawn as often as their weights say.
#[derive(Debug, Clone)]
pub struct Weighted {
    /// Sums of the weights, each with those before it.
    sums: Vec<u64>,
}

impl Weighted {
    /// Draws `index` in proportion to `weights[index]`.
    pub fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let sums = weights.into_iter().scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self {
            sums: sums.collect(),
        }
    }

    /// As things in the world are: the second half as often as the first, the third a third as often. That is for
    /// `flat` 0; the greater it is, the less do the first of them stand out.
    pub fn zipf(length: u64, flat: u64) -> Self {
        Self::new((1..=length).map(|rank| (1 << 40) / (rank + flat)))
    }

    /// An index.
    pub fn draw(&self, random: &mut Random) -> usize {
        let drawn = random.below(self.sums.last().copied().unwrap_or_default());
        self.sums.partition_point(|&sum| sum <= drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_split_mix_64() {
        // The vector that other implementations publish for this seed.
        let mut random = Random::new(1_234_567);
        let drawn = [(); 5].map(|()| random.next());
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, published);
    }

    #[test]
    fn draws_stay_in_their_limits_and_reach_them() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..1000).map(|_| random.between(-2, 2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
        assert_eq!(random.below(0), 0);
        assert_eq!(random.between(5, 5), 5);
    }

    #[test]
    fn weights_are_kept() {
        let mut random = Random::new(7);
        let weighted = Weighted::new([1, 0, 3]);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            counts[weighted.draw(&mut random)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((900..1100).contains(&counts[0]), "{counts:?}");
        let zipf = Weighted::zipf(100, 0);
        let firsts = (0..5187).filter(|_| zipf.draw(&mut random) == 0).count();
        // The hundredth harmonic number is 5.187.
        assert!((900..1100).contains(&firsts), "{firsts}");
    }

    #[test]
    fn a_name_has_a_stream_of_its_own() {
        let first = |seed, name| Random::named(seed, name).next();
        assert_ne!(first(1, "event"), first(1, "mailbox"));
        assert_ne!(first(1, "event"), first(2, "event"));
        assert_eq!(first(1, "event"), first(1, "event"));
    }
}
