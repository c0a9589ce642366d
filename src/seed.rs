//! Seeds of random tests. Everyone's run draws the same cases, so that what fails is what was changed; `HALITE_FRESH=1`
//! draws others, as `make test-long` does, and `HALITE_SEED` those of a run that failed.

/// The seed of a random test. It is printed, which the test harness shows of a test that fails.
pub fn seed() -> u64 {
    let seed = number("HALITE_SEED").unwrap_or_else(|| match number("HALITE_FRESH") {
        None | Some(0) => 0x4861_6c69_7465,
        Some(_) => fastrand::u64(..),
    });
    println!("HALITE_SEED={seed} replays this");
    seed
}

/// A number in the environment, decimal or `0x` and hexadecimal.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    Some(number.unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}
