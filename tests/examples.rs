//! The examples run, and do what their own checks say.

#[allow(dead_code, reason = "the example's own main is not run here")]
#[path = "../examples/blocking.rs"]
mod blocking;
#[allow(dead_code, reason = "the example's own main is not run here")]
#[path = "../examples/provider.rs"]
mod provider;
#[allow(dead_code, reason = "the example's own main is not run here")]
#[path = "../examples/tour.rs"]
mod tour;

#[tokio::test]
async fn the_tour_runs() {
    tour::run().await.unwrap();
}

#[tokio::test]
async fn the_provider_runs() {
    provider::run().await.unwrap();
}

#[test]
fn blocking_runs() {
    let directory = tempfile::tempdir().unwrap();
    blocking::run(directory.path()).unwrap();
}
