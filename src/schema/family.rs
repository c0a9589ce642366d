//! Families: columns of a table that are kept apart from its others.
//!
//! Family 0 has the columns that stand in no other. Every row has an entry in each family, under the same key, so that
//! whoever reads one sees every row. Each is a space of its own: `t17_f2` is family 0 of a table that has two more, which
//! are `t17_f2_1` and `t17_f2_2`; the name says how many there are.

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

/// The name of family 0's space, of a table with this id and so many more families.
pub(super) fn first_space(id: u64, families: usize) -> String {
    match families {
        0 => format!("t{id}"),
        families => format!("t{id}_f{families}"),
    }
}

/// How many more families there are beside the one in this space; 0 for the space of a table without families.
pub fn further_families(space: &str) -> usize {
    let count = space.rsplit_once("_f").map(|(_, count)| count.parse());
    match count {
        Some(Ok(count)) => count,
        _ => 0,
    }
}

/// The name of the space of a family, of which family 0 is in `space`.
pub fn space_of_family(space: &str, family: usize) -> String {
    match family {
        0 => space.to_owned(),
        family => format!("{space}_{family}"),
    }
}

/// The spaces of all families, of which family 0 is in `space`.
pub fn spaces_of_families(space: &str) -> impl Iterator<Item = String> {
    (0..=further_families(space)).map(move |family| space_of_family(space, family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_space_says_how_many_families_there_are() {
        for (space, spaces) in [
            (first_space(17, 0), vec!["t17"]),
            (first_space(17, 1), vec!["t17_f1", "t17_f1_1"]),
            (first_space(3, 2), vec!["t3_f2", "t3_f2_1", "t3_f2_2"]),
        ] {
            let found: Vec<String> = spaces_of_families(&space).collect();
            assert_eq!(found, spaces);
            let further = found.iter().skip(1).map(|space| further_families(space));
            assert!(further.into_iter().all(|count| count == 0), "{found:?}");
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
