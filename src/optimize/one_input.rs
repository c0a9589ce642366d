//! What every node with one input and no expressions says of itself.

/// Methods of `impl ExecutionPlan` for a node whose input is its field `$input`; `$again` makes the node over another one.
macro_rules! one_input {
    ($input:tt, |$node:ident, $other:ident| $again:expr) => {
        fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
            vec![&self.$input]
        }

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
        ) -> Result<TreeNodeRecursion> {
            Ok(TreeNodeRecursion::Continue)
        }

        #[allow(deprecated)]
        fn with_new_children(
            self: Arc<Self>,
            children: Vec<Arc<dyn ExecutionPlan>>,
        ) -> Result<Arc<dyn ExecutionPlan>> {
            let $node = &self;
            match <[_; 1]>::try_from(children) {
                Ok([$other]) => $again,
                Err(others) => internal_err!("{} inputs of {}", others.len(), self.name()),
            }
        }
    };
}

pub(super) use one_input;
