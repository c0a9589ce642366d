//! What samples of a time come to.

/// The middle of some samples, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    /// Of one sample or more.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * samples.len().saturating_sub(1) as f64;
            let value = |place: f64| samples.get(place as usize).copied().unwrap_or_default();
            let (below, above) = (value(place.floor()), value(place.ceil()));
            below + (above - below) * place.fract()
        };
        Self {
            low: at(0.25),
            median: at(0.5),
            high: at(0.75),
        }
    }
}
