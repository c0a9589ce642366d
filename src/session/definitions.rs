//! The statements that make what a connection sees: for dumps.

use std::sync::Arc;

use super::Connection;
use crate::catalog::Sequence;
use crate::datum;
use crate::schema::{View, comment_on};

impl Connection {
    /// A statement that makes the table with this name, as it makes it where it is.
    #[doc(hidden)]
    pub fn statement_of(&self, name: &str, statement: String) -> String {
        self.catalogs().statement(name, statement)
    }

    /// The definition of a view.
    #[doc(hidden)]
    pub fn view_definition(&self, name: &str) -> Option<Arc<View>> {
        self.catalogs().view(name)
    }

    /// The statements that make all views, each behind those that it reads; with a name that of one.
    #[doc(hidden)]
    pub fn view_statements(&self, name: Option<&str>) -> Vec<String> {
        let views = self.catalogs().views_in_order().into_iter();
        let views = views.filter(|view| name.is_none_or(|name| view.name == name));
        let statements = |view: Arc<View>| {
            let statement = view.create_statement();
            let comment = view.comment.as_ref().map(|text| {
                let name = datum::identifier(&view.name);
                comment_on(&format!("VIEW {name}"), text)
            });
            std::iter::once(self.catalogs().statement(&view.name, statement)).chain(comment)
        };
        views.flat_map(statements).collect()
    }

    /// The statements that make all sequences but those that are made with tables.
    #[doc(hidden)]
    pub fn sequence_statements(&self) -> Vec<String> {
        let both = [
            Some(self.catalogs().database()),
            self.catalogs().temporary().get(),
        ];
        let named = both.into_iter().flatten().flat_map(|catalog| {
            let names = catalog.sequence_names().into_iter();
            let names = names.filter(|name| !catalog.is_identity(name));
            names.filter_map(|name| catalog.sequence(&name))
        });
        let statements = |sequence: Arc<Sequence>| {
            let definition = sequence.definition();
            let statement = definition.create_statement();
            let comment = definition.comment.as_ref().map(|text| {
                let name = datum::identifier(&definition.name);
                comment_on(&format!("SEQUENCE {name}"), text)
            });
            std::iter::once(self.catalogs().statement(&definition.name, statement)).chain(comment)
        };
        named.flat_map(statements).collect()
    }
}
