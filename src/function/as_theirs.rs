//! What a function of ours that stands in the place of one of DataFusion's has from it.

/// The methods of a [`ScalarUDFImpl`](datafusion::logical_expr::ScalarUDFImpl) around the function in its first field:
/// names, arguments, type and documentation are those of that function; with `but_arguments` all but the arguments.
macro_rules! as_theirs {
    () => {
        crate::function::as_theirs::as_theirs!(but_arguments);

        fn signature(&self) -> &datafusion::logical_expr::Signature {
            self.0.signature()
        }
    };
    (but_arguments) => {
        fn name(&self) -> &str {
            self.0.name()
        }

        fn aliases(&self) -> &[String] {
            self.0.aliases()
        }

        fn return_type(
            &self,
            arguments: &[arrow::datatypes::DataType],
        ) -> datafusion::common::Result<arrow::datatypes::DataType> {
            self.0.return_type(arguments)
        }

        fn documentation(&self) -> Option<&datafusion::logical_expr::Documentation> {
            self.0.documentation()
        }
    };
}

pub(super) use as_theirs;
