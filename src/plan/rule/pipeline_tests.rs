//! The lists beside DataFusion's own.

use std::collections::BTreeSet;

use datafusion::optimizer::{Analyzer, Optimizer};
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

use super::*;

/// The mends that rules are of.
pub(crate) fn mends_of_rules() -> BTreeSet<&'static str> {
    fn of<Rule>(steps: Vec<Step<Rule>>) -> impl Iterator<Item = &'static str> {
        steps.into_iter().flat_map(|step| {
            let own = match step.of {
                Of::Mend(mend) | Of::Off(mend) => vec![mend],
                Of::Mends(mends) => mends,
                Of::DataFusion | Of::Halite => Vec::new(),
            };
            let around = step.around.into_iter().map(|(mend, _)| mend);
            own.into_iter().chain(around).collect::<Vec<_>>()
        })
    }
    let both = of(analyzer_steps()).chain(of(optimizer_steps()));
    both.chain(of(physical_steps())).collect()
}

/// The names of the rules that are Halite's or have something of Halite's around them, of each list.
pub(crate) fn names_of_ours() -> [(&'static str, BTreeSet<String>); 3] {
    fn ours<Rule>(steps: Vec<Step<Rule>>, name: impl Fn(&Rule) -> String) -> BTreeSet<String> {
        let is_ours = |step: &Step<Rule>| step.of != Of::DataFusion || !step.around.is_empty();
        let steps = steps.into_iter().filter(is_ours);
        steps
            .flat_map(|step| step.made().as_ref().map(&name))
            .collect()
    }
    [
        (
            "analyzer",
            ours(analyzer_steps(), |it| it.name().to_owned()),
        ),
        (
            "optimizer",
            ours(optimizer_steps(), |it| it.name().to_owned()),
        ),
        (
            "physical",
            ours(physical_steps(), |it| it.name().to_owned()),
        ),
    ]
}

/// What DataFusion runs by itself, Halite runs or has off, in the same order: an upgrade that adds a rule, takes one away or moves
/// it is seen here.
#[test]
fn the_rules_of_datafusion_are_the_ones_that_are_known() {
    fn theirs<Rule>(steps: Vec<Step<Rule>>, name: impl Fn(&Rule) -> String) -> Vec<String> {
        let is_theirs = |step: &Step<Rule>| matches!(step.of, Of::DataFusion | Of::Off(_));
        let steps = steps.into_iter().filter(is_theirs);
        steps.map(|step| name(&step.rule)).collect()
    }
    let analyzer = Analyzer::new().rules;
    let expected: Vec<String> = analyzer.iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(
        theirs(analyzer_steps(), |it| it.name().to_owned()),
        expected
    );
    let optimizer = Optimizer::new().rules;
    let expected: Vec<String> = optimizer.iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(
        theirs(optimizer_steps(), |it| it.name().to_owned()),
        expected
    );
    // Two modes of a rule have one name.
    let physical = PhysicalOptimizer::new().rules;
    let expected: Vec<String> = physical.iter().map(|it| format!("{it:?}")).collect();
    assert_eq!(theirs(physical_steps(), |it| format!("{it:?}")), expected);
}

#[test]
fn a_mend_is_left_out_with_all_its_rules() {
    let names = |rules: Vec<Logical>| rules.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>();
    let all = names(optimizer_rules());
    let without = fault::with(Fault::MendLeftOut("constants"), || names(optimizer_rules()));
    assert_eq!(without.len() + 3, all.len());
    let left = fault::with(Fault::MendLeftOut("dependencies"), || {
        names(optimizer_rules())
    });
    // Two rules are off, and two have something around them.
    assert_eq!(left.len(), all.len() + 2);
    let bare = left.iter().filter(|rule| !all.contains(rule));
    assert_eq!(bare.count(), 4);
    assert!(
        all.last().is_some_and(|last| last.contains("bound")),
        "{all:?}"
    );
}
