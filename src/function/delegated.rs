//! Functions that are DataFusion's, or the program's, with something around their calls.

/// What the signatures of [`as_inner`] name.
pub(super) mod signatures {
    pub(in crate::function) use arrow::datatypes::{DataType, FieldRef};
    pub(in crate::function) use datafusion::common::{Result, ScalarValue};
    pub(in crate::function) use datafusion::logical_expr::interval_arithmetic::Interval;
    pub(in crate::function) use datafusion::logical_expr::preimage::PreimageResult;
    pub(in crate::function) use datafusion::logical_expr::simplify::{
        ExprSimplifyResult, SimplifyContext,
    };
    pub(in crate::function) use datafusion::logical_expr::sort_properties::{
        ExprProperties, SortProperties,
    };
    pub(in crate::function) use datafusion::logical_expr::{
        Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, Signature, StructFieldMapping,
    };
}

/// Methods of `impl ScalarUDFImpl` for a function that is in all but its calls its field `inner`; where it is called
/// [`signatures`] are known.
macro_rules! as_inner {
    () => {
        fn name(&self) -> &str {
            self.inner.name()
        }

        fn aliases(&self) -> &[String] {
            self.inner.aliases()
        }

        fn schema_name(&self, args: &[Expr]) -> Result<String> {
            self.inner.schema_name(args)
        }

        fn signature(&self) -> &Signature {
            self.inner.signature()
        }

        fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
            self.inner.return_type(arguments)
        }

        fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
            self.inner.return_field_from_args(args)
        }

        fn is_strict(&self) -> bool {
            self.inner.is_strict()
        }

        fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
            self.inner.simplify(args, info)
        }

        fn preimage(
            &self,
            args: &[Expr],
            literal: &Expr,
            info: &SimplifyContext,
        ) -> Result<PreimageResult> {
            self.inner.preimage(args, literal, info)
        }

        fn struct_field_mapping(
            &self,
            literals: &[Option<ScalarValue>],
        ) -> Option<StructFieldMapping> {
            self.inner.struct_field_mapping(literals)
        }

        fn strictly_order_preserving(&self, inputs: &[ExprProperties]) -> Result<bool> {
            self.inner.strictly_order_preserving(inputs)
        }

        fn conditional_arguments<'a>(
            &self,
            args: &'a [Expr],
        ) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
            self.inner.conditional_arguments(args)
        }

        fn short_circuits(&self) -> bool {
            self.inner.short_circuits()
        }

        fn evaluate_bounds(&self, input: &[&Interval]) -> Result<Interval> {
            self.inner.evaluate_bounds(input)
        }

        fn propagate_constraints(
            &self,
            interval: &Interval,
            inputs: &[&Interval],
        ) -> Result<Option<Vec<Interval>>> {
            self.inner.propagate_constraints(interval, inputs)
        }

        fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
            self.inner.output_ordering(inputs)
        }

        fn preserves_lex_ordering(&self, inputs: &[ExprProperties]) -> Result<bool> {
            self.inner.preserves_lex_ordering(inputs)
        }

        fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
            self.inner.coerce_types(arg_types)
        }

        fn documentation(&self) -> Option<&Documentation> {
            self.inner.documentation()
        }

        fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
            self.inner.placement(args)
        }
    };
}

pub(super) use as_inner;
