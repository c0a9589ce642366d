//! How a reader gets to a key that lies behind the rows that have come: by reading on, or by a request of its own.
//!
//! A request costs as much as some hundreds of rows, so that what is near is reached sooner by reading on. How far it is
//! nobody says. So a request asks for few rows, and every now and then for as many as it costs. Where the next key to go
//! to is among the rows of an answer, the answer behind it is read as well, and answers grow; where it is not, it is
//! sought. Keys at equal distances cost at most twice what the better of the two costs, reading on or seeking always.

/// About how many rows a request costs.
const WORTH: usize = 256;

/// How many rows it asks for.
pub(super) const LOOK: usize = 64;

/// After how many requests, the first time, one asks for [`WORTH`] rows; the next comes after twice as many.
const FIRST_TRIAL: usize = 4;

/// After how many at most.
const LAST_TRIAL: usize = 1024;

#[derive(Debug)]
pub(super) struct Gallop {
    has_reached: bool,
    jumps_left: usize,
    trial_after: usize,
}

impl Gallop {
    pub(super) fn new() -> Self {
        Self {
            has_reached: false,
            jumps_left: FIRST_TRIAL,
            trial_after: FIRST_TRIAL,
        }
    }

    /// How many rows to ask for, by a request at the key.
    pub(super) fn jump(&mut self) -> usize {
        self.jumps_left -= 1;
        if self.jumps_left > 0 {
            return LOOK;
        }
        self.jumps_left = self.trial_after;
        self.trial_after = (self.trial_after * 2).min(LAST_TRIAL);
        WORTH
    }

    /// A key was among the rows of the newest answer.
    pub(super) fn reached(&mut self) {
        self.has_reached = true;
        (self.jumps_left, self.trial_after) = (FIRST_TRIAL, FIRST_TRIAL);
    }

    /// Whether to read the next answer on the way to a key that is not in the newest one.
    pub(super) fn reads_on(&mut self) -> bool {
        std::mem::take(&mut self.has_reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it costs, in rows, to go to so many keys that are `distance` rows apart, and how many of the rows that are asked
    /// for lie behind the last of them.
    fn cost(distance: usize, keys: usize) -> (usize, usize) {
        let mut gallop = Gallop::new();
        // How many rows were asked for, and up to which row they go.
        let (mut cost, mut size) = (WORTH + LOOK, LOOK);
        let mut until = size;
        let mut row = 0;
        for _ in 0..keys {
            row += distance;
            loop {
                if row < until {
                    gallop.reached();
                    break;
                }
                if gallop.reads_on() {
                    size *= 2;
                    until += size;
                    cost += size;
                    continue;
                }
                size = gallop.jump();
                until = row + size;
                cost += WORTH + size;
                break;
            }
        }
        (cost, until - row)
    }

    #[test]
    fn near_keys_cost_little_more_than_all_rows() {
        const ROWS: usize = 100_000;
        for distance in [1, 2, 5, 17, 63, 64, 65, 100, 143, 200, 250] {
            let (cost, behind) = cost(distance, ROWS / distance);
            let cost = cost - behind;
            assert!(10 * cost <= 12 * (ROWS + WORTH), "{distance}: {cost}");
        }
    }

    #[test]
    fn keys_at_equal_distances_cost_twice_the_better_way_at_most() {
        const KEYS: usize = 1_000;
        for distance in [
            1, 2, 5, 17, 63, 64, 65, 100, 143, 200, 255, 257, 300, 500, 1_000, 100_000,
        ] {
            let better = (distance * KEYS).min((WORTH + 1) * KEYS) + WORTH + LOOK;
            let (cost, _) = cost(distance, KEYS);
            assert!(cost <= 2 * better, "{distance}: {cost} for {better}");
        }
    }
}
