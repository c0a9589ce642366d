//! Families: columns of a table that are kept apart from its others; and the spaces that a table has.
//!
//! Family 0 has the columns that stand in no other. Every row has an entry in each family, under the same key, so that
//! whoever reads one sees every row. Each is a space of its own: `t17_f2` is family 0 of a table that has two more, which
//! are `t17_f2_1` and `t17_f2_2`. The names are for people: what spaces there are, [`TableSpaces`] says.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Columns that are kept together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// The ids of its columns.
    pub columns: Vec<u32>,
}

/// The most families of a table, beside the one without a name.
pub const MOST_FAMILIES: usize = 32;

/// Some families of a table, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FamilySet(u64);

impl FamilySet {
    /// Every one.
    pub const ALL: Self = Self(u64::MAX);

    /// The same, and this one.
    #[must_use]
    pub fn with(self, family: usize) -> Self {
        Self(self.0 | bit(family))
    }

    /// Whether this one is among them.
    pub fn has(self, family: usize) -> bool {
        self.0 & bit(family) != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

fn bit(family: usize) -> u64 {
    u32::try_from(family)
        .ok()
        .and_then(|family| 1_u64.checked_shl(family))
        .unwrap_or_default()
}

/// The spaces of a table in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpaces {
    first: Arc<str>,
    /// All of the families, by number: the first, too.
    families: Arc<[Arc<str>]>,
    dictionary: Option<Arc<str>>,
}

impl TableSpaces {
    /// Those of a table with this id and so many families beside the first, whose key has dictionaries of the table that
    /// has the id `dictionary`, if any.
    pub(super) fn new(id: u64, families: usize, dictionary: Option<u64>) -> Self {
        let first = match families {
            0 => format!("t{id}"),
            families => format!("t{id}_f{families}"),
        };
        Self {
            dictionary: dictionary.map(|id| format!("t{id}_d").into()),
            ..Self::of_families(&first, families)
        }
    }

    /// Those of rows that are in the space `first`, and in so many more, without dictionaries.
    pub fn of_families(first: &str, more: usize) -> Self {
        let others = (1..=more).map(|family| format!("{first}_{family}").into());
        let first: Arc<str> = first.into();
        Self {
            families: std::iter::once(Arc::clone(&first)).chain(others).collect(),
            first,
            dictionary: None,
        }
    }

    /// That of family 0, by which the others are claimed and looked at.
    pub fn first(&self) -> &Arc<str> {
        &self.first
    }

    /// Those of the families, by number.
    pub fn families(&self) -> &[Arc<str>] {
        &self.families
    }

    /// That of the dictionaries of its key, if it has some.
    pub fn dictionary(&self) -> Option<&Arc<str>> {
        self.dictionary.as_ref()
    }

    /// All of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.families.iter().chain(&self.dictionary);
        all.map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_space_for_each_family_and_one_for_its_dictionaries() {
        for (spaces, names) in [
            (TableSpaces::new(17, 0, None), vec!["t17"]),
            (TableSpaces::new(17, 1, None), vec!["t17_f1", "t17_f1_1"]),
            (
                TableSpaces::new(3, 2, Some(4)),
                vec!["t3_f2", "t3_f2_1", "t3_f2_2", "t4_d"],
            ),
        ] {
            assert_eq!(spaces.names().collect::<Vec<_>>(), names);
            assert_eq!(&**spaces.first(), names[0]);
        }
    }

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let set = FamilySet::default().with(0).with(MOST_FAMILIES);
        assert!(set.has(0) && set.has(MOST_FAMILIES) && !set.has(1) && !set.has(1000));
        assert!(FamilySet::default().is_empty() && !set.is_empty());
        assert!((0..=MOST_FAMILIES).all(|family| FamilySet::ALL.has(family)));
    }
}
