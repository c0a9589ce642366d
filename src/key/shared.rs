//! Keys of several layouts in one run of keys, told apart by their constants.
//!
//! Two layouts can share a run where they [differ](RowKey::differs_from) at a constant that stands behind parts which are
//! encoded alike: then a key of either is read by the other up to that constant, and not taken for one of its own. A
//! reader of such keys looks for the constants always, whatever it is asked for; see [`RowKey::is_told_by`].

use super::layout::RowKey;
use super::part::KeyPart;
use crate::keyrange::KeyRange;

impl RowKey {
    /// The same keys, with keys of other layouts among them.
    #[must_use]
    pub fn among_others(self) -> Self {
        self.set_among_others(true)
    }

    /// Whether the part at `position` tells these keys from those that stand among them, so that no key is read without a
    /// look at it.
    pub fn is_told_by(&self, position: usize) -> bool {
        #[cfg(any(test, feature = "testing"))]
        if crate::fault::active(crate::fault::Fault::ConstantForgotten) {
            return false;
        }
        let part = self.parts().get(position);
        self.is_among_others() && part.is_some_and(KeyPart::is_constant)
    }

    /// Whether a key that stands in the run is of this layout, told by its constants. Keys of a run that is not shared all
    /// are.
    pub fn is_own(&self, key: &[u8]) -> bool {
        if !self.is_among_others() {
            return true;
        }
        let constants = self.parts().iter().rposition(KeyPart::is_constant);
        let told = constants.map_or(0, |last| last + 1);
        let mut rest = key;
        for part in self.parts().iter().take(told) {
            let constant = part.constant_field();
            let length = match constant {
                Some(field) if !rest.starts_with(&field) => return false,
                Some(field) => field.len(),
                None => match part.length(rest) {
                    Ok(length) => length,
                    Err(_) => return false,
                },
            };
            match rest.get(length..) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        true
    }

    /// Whether all keys of the run are of this layout.
    pub fn is_alone(&self) -> bool {
        !self.is_among_others()
    }

    /// A range that holds all keys of this layout: those that begin with its first constants.
    pub fn own_range(&self) -> KeyRange {
        let fields = self.parts().iter().map(KeyPart::constant_field);
        let first: Vec<Vec<u8>> = fields.map_while(|field| field).collect();
        KeyRange::prefix(&first.concat())
    }

    /// The position of the constant by which keys of two layouts differ, if they do.
    pub fn differs_from(&self, other: &Self) -> Option<usize> {
        for (position, (own, others)) in self.parts().iter().zip(other.parts()).enumerate() {
            if let (Some(own), Some(others)) = (own.constant_field(), others.constant_field())
                && !own.starts_with(&others)
                && !others.starts_with(&own)
            {
                return Some(position);
            }
            if !own.is_encoded_as(others) {
                return None;
            }
        }
        None
    }
}

impl KeyPart {
    /// Whether it stores the same in every key.
    pub fn is_constant(&self) -> bool {
        self.constant_field().is_some()
    }

    /// Whether fields of both parts are the same bytes for the same values, and end at the same place.
    pub fn is_encoded_as(&self, other: &Self) -> bool {
        let nulls = |part: &Self| part.nullable().then(|| part.nulls());
        let (own, others) = (self.transform(), other.transform());
        self.constant_field() == other.constant_field()
            && self.direction() == other.direction()
            && nulls(self) == nulls(other)
            && own.value_type() == others.value_type()
            && format!("{:?}", own.encoding()) == format!("{:?}", others.encoding())
    }

    /// The field of a part that stores the same in every key.
    fn constant_field(&self) -> Option<Vec<u8>> {
        let value = self.universe().single()?;
        let mut field = Vec::new();
        // What has no field is in no key.
        self.encode(Some(&value), &mut field).ok()?;
        Some(field)
    }
}
