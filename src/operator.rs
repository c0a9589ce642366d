//! What operators of one input have in common, whichever layer they are of.

/// Methods of `impl ExecutionPlan` for an operator without expressions whose input is its field `$input`; `$again` makes it
/// over another one.
macro_rules! one_input {
    ($input:tt, |$node:ident, $other:ident| $again:expr) => {
        fn children(
            &self,
        ) -> Vec<&::std::sync::Arc<dyn ::datafusion::physical_plan::ExecutionPlan>> {
            vec![&self.$input]
        }

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(
                &::std::sync::Arc<dyn ::datafusion::physical_expr::PhysicalExpr>,
            ) -> ::datafusion::common::Result<
                ::datafusion::common::tree_node::TreeNodeRecursion,
            >,
        ) -> ::datafusion::common::Result<::datafusion::common::tree_node::TreeNodeRecursion> {
            Ok(::datafusion::common::tree_node::TreeNodeRecursion::Continue)
        }

        #[allow(deprecated)]
        fn with_new_children(
            self: ::std::sync::Arc<Self>,
            children: Vec<::std::sync::Arc<dyn ::datafusion::physical_plan::ExecutionPlan>>,
        ) -> ::datafusion::common::Result<
            ::std::sync::Arc<dyn ::datafusion::physical_plan::ExecutionPlan>,
        > {
            let $node = &self;
            match <[_; 1]>::try_from(children) {
                Ok([$other]) => $again,
                Err(others) => {
                    ::datafusion::common::internal_err!(
                        "{} inputs of {}",
                        others.len(),
                        self.name()
                    )
                }
            }
        }
    };
}

/// Methods of `impl ExecutionPlan` for an operator that takes the rows of its one input in their order, from one partition.
macro_rules! in_order_of_input {
    () => {
        fn input_distribution_requirements(
            &self,
        ) -> ::datafusion::physical_plan::InputDistributionRequirements {
            ::datafusion::physical_plan::InputDistributionRequirements::new(vec![
                ::datafusion::physical_expr::Distribution::SinglePartition,
            ])
        }

        fn benefits_from_input_partitioning(&self) -> Vec<bool> {
            vec![false]
        }

        fn maintains_input_order(&self) -> Vec<bool> {
            vec![true]
        }
    };
}

pub(crate) use in_order_of_input;
pub(crate) use one_input;
