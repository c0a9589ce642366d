//! A dictionary: an id for each text that a column of a row key has had.
//!
//! Ids are 1, 2, 3 and so on, in the order in which the texts came, and never change: what is known of one stays true.
//! All of it is in memory, so that keys are encoded and decoded without I/O. Where it is kept, a [`DictionaryKeeper`] has
//! each id on the disk before a row has it.
//!
//! A text without an id is in no row of any moment until now. Who plans spans with that must not read a later moment: so
//! a dictionary counts the texts that were looked up in vain, see [`Lookups`].

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::RandomState;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{RwLock, RwLockReadGuard};

use crate::error::{Error, Result};

/// A dictionary of more texts is not looked through: it takes a millisecond.
const MOST_TEXTS: usize = 10_000;

/// More ids are not listed.
const MOST_IDS: usize = 1_000;

/// Keeps a dictionary.
pub trait DictionaryKeeper: fmt::Debug + Send + Sync {
    /// Gives ids to those of these texts that have none, keeps them, and [extends](Dictionary::extend) the dictionary. It
    /// waits for the disk.
    ///
    /// # Errors
    /// Those of the store; `InvalidInput` where there are no more ids.
    fn add(&self, dictionary: &Dictionary, texts: &[Arc<str>]) -> Result<()>;

    /// Takes in what others, perhaps another process, have added until now.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` for an entry that is none.
    fn follow(&self, dictionary: &Dictionary) -> Result<()>;
}

/// The ids of texts.
#[derive(Default)]
pub struct Dictionary {
    entries: RwLock<Entries>,
    /// How many texts were looked up that have no id.
    missed: AtomicU64,
    /// None: the dictionary is in memory alone.
    keeper: OnceLock<Arc<dyn DictionaryKeeper>>,
}

/// What a dictionary has, while it is locked.
#[derive(Debug, Default)]
pub struct Entries {
    ids: HashMap<Arc<str>, u32, RandomState>,
    /// The text of each id, from 1 on.
    texts: Vec<Arc<str>>,
}

impl Entries {
    /// The id of a text.
    pub fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    /// The text with this id.
    pub fn text(&self, id: u32) -> Option<&Arc<str>> {
        self.texts.get(usize::try_from(id.checked_sub(1)?).ok()?)
    }

    /// Gives a text that has none the next id.
    fn push(&mut self, text: Arc<str>) {
        let id = self.last() + 1;
        self.ids.insert(Arc::clone(&text), id);
        self.texts.push(text);
    }

    /// The ids in use are those up to this one.
    pub fn last(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }
}

impl Dictionary {
    /// From now on this one keeps it; the first one stays.
    pub fn keep_by(&self, keeper: Arc<dyn DictionaryKeeper>) {
        let _ = self.keeper.set(keeper);
    }

    /// All that it has, for as long as the guard is held.
    pub fn entries(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read()
    }

    /// The id of a text that a query asks for.
    pub fn look_up(&self, text: &str) -> Option<u32> {
        let found = self.entries.read().id(text);
        if found.is_none() {
            self.missed.fetch_add(1, Ordering::SeqCst);
        }
        found
    }

    /// The ids of all texts of which this is true; `None` where the dictionary is too large to look through, or they are too
    /// many to be listed. One that comes later is in vain, as of [`Dictionary::look_up`].
    pub fn look_through(&self, is_wanted: impl Fn(&str) -> bool) -> Option<Vec<u32>> {
        self.missed.fetch_add(1, Ordering::SeqCst);
        let entries = self.entries.read();
        if entries.texts.len() > MOST_TEXTS {
            return None;
        }
        let wanted = (1..)
            .zip(&entries.texts)
            .filter(|(_, text)| is_wanted(text));
        let ids: Vec<u32> = wanted.map(|(id, _)| id).take(MOST_IDS + 1).collect();
        (ids.len() <= MOST_IDS).then_some(ids)
    }

    /// Takes in texts with the ids from `first` on. Those that it has already are left out.
    ///
    /// # Errors
    /// `Corrupt` where an id is that of another text, or one is left out.
    pub fn extend(&self, first: u32, texts: impl IntoIterator<Item = Arc<str>>) -> Result<()> {
        let mut entries = self.entries.write();
        for (id, text) in (first..).zip(texts) {
            match entries.text(id) {
                Some(known) if *known == text => {}
                None if id == entries.last() + 1 && entries.id(&text).is_none() => {
                    entries.push(text);
                }
                _ => {
                    return Err(Error::corrupt(format!(
                        "a dictionary's id {id} is not that of '{text}'"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Takes in what others have added until now.
    ///
    /// # Errors
    /// Those of [`DictionaryKeeper::follow`].
    pub fn follow(&self) -> Result<()> {
        match self.keeper.get() {
            Some(keeper) => keeper.follow(self),
            None => Ok(()),
        }
    }

    /// Sees to it that each of these texts has an id.
    ///
    /// # Errors
    /// Those of [`DictionaryKeeper::add`].
    pub fn learn<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<()> {
        let unknown: Vec<Arc<str>> = {
            let entries = self.entries.read();
            let unknown = texts.filter(|text| entries.id(text).is_none());
            unknown.map(Arc::from).collect()
        };
        if unknown.is_empty() {
            return Ok(());
        }
        match self.keeper.get() {
            Some(keeper) => keeper.add(self, &unknown),
            None => {
                let mut entries = self.entries.write();
                for text in unknown {
                    if entries.id(&text).is_none() {
                        entries.push(text);
                    }
                }
                Ok(())
            }
        }
    }

    /// Those of these texts that have no id, each once, in their order.
    pub fn unknown(&self, texts: &[Arc<str>]) -> Vec<Arc<str>> {
        let entries = self.entries.read();
        let mut seen = HashSet::new();
        let is_new = |text: &&Arc<str>| entries.id(text).is_none() && seen.insert(Arc::clone(text));
        texts.iter().filter(is_new).cloned().collect()
    }

    pub(super) fn lookups(&self) -> Lookups {
        Lookups {
            missed: self.missed.load(Ordering::SeqCst),
            known: u64::from(self.entries.read().last()),
        }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary of {} texts", self.entries.read().last())
    }
}

/// What was looked up in the dictionaries of a key so far, and how many texts they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookups {
    /// How many texts were looked up in vain.
    pub missed: u64,
    /// How many texts have an id.
    pub known: u64,
}

impl std::iter::Sum for Lookups {
    fn sum<I: Iterator<Item = Self>>(lookups: I) -> Self {
        lookups.fold(Self::default(), |all, one| Self {
            missed: all.missed + one.missed,
            known: all.known + one.known,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn texts(texts: &[&str]) -> Vec<Arc<str>> {
        texts.iter().map(|text| Arc::from(*text)).collect()
    }

    #[test]
    fn ids_are_given_in_the_order_of_texts_and_stay() {
        let dictionary = Dictionary::default();
        dictionary.learn(["b", "a", "b"].into_iter()).unwrap();
        dictionary.learn(["c", "a"].into_iter()).unwrap();
        let entries = dictionary.entries();
        assert_eq!(
            ["b", "a", "c"].map(|text| entries.id(text)),
            [Some(1), Some(2), Some(3)]
        );
        let text = |id| entries.text(id).map(|text| text.to_string());
        assert_eq!(
            [0, 1, 3, 4].map(text),
            [None, Some("b".into()), Some("c".into()), None]
        );
    }

    #[test]
    fn what_is_looked_up_in_vain_is_counted() {
        let dictionary = Dictionary::default();
        dictionary.learn(["a"].into_iter()).unwrap();
        assert_eq!(
            (dictionary.look_up("a"), dictionary.look_up("x")),
            (Some(1), None)
        );
        assert_eq!(
            dictionary.lookups(),
            Lookups {
                missed: 1,
                known: 1
            }
        );
    }

    #[test]
    fn what_is_looked_through_is_listed_unless_it_is_too_much() {
        let dictionary = Dictionary::default();
        dictionary
            .learn(["cpu.user", "mem", "cpu.sys"].into_iter())
            .unwrap();
        let of_cpu = |text: &str| text.starts_with("cpu");
        assert_eq!(dictionary.look_through(of_cpu), Some(vec![1, 3]));
        assert_eq!(dictionary.lookups().missed, 1);
        let many: Vec<String> = (0..MOST_IDS).map(|number| format!("cpu{number}")).collect();
        dictionary.learn(many.iter().map(String::as_str)).unwrap();
        assert_eq!(dictionary.look_through(of_cpu), None);
        assert_eq!(dictionary.look_through(|text| text == "mem"), Some(vec![2]));
    }

    #[test]
    fn what_is_taken_in_again_must_be_the_same() {
        let dictionary = Dictionary::default();
        dictionary.extend(1, texts(&["a", "b"])).unwrap();
        dictionary.extend(2, texts(&["b", "c"])).unwrap();
        assert_eq!(dictionary.entries().last(), 3);
        for (first, wrong) in [(1, "z"), (5, "e"), (4, "a")] {
            let error = dictionary.extend(first, texts(&[wrong])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{first} {wrong}");
        }
        assert_eq!(
            dictionary.unknown(&texts(&["d", "a", "d", "e"])),
            texts(&["d", "e"])
        );
    }
}
