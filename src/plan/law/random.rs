//! The random source of a case: everything follows from its seed.

/// Random choices from one seed.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// The seed of the `index`-th case of a run: neighbours have nothing in common.
    pub fn case_seed(master: u64, index: u64) -> u64 {
        let mut z = master.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    /// A number from `low` to `high`, both possible.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        self.0.usize(low..=high)
    }

    /// A number from `low` to `high`, both possible.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        self.0.i64(low..=high)
    }

    /// One of `items`, which are not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.0.usize(..items.len())]
    }

    /// One of `items` by weight.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let sum = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.0.u32(0..sum);
        for (weight, item) in items {
            if left < *weight {
                return *item;
            }
            left -= weight;
        }
        unreachable!("weights add up")
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }
}
