//! Why a change waits for a person before anybody sees it (Z-127, Z-165).
//!
//! Owns the codes and their words; what finds them is decided elsewhere. A sensitive meaning has a word of its own beside these.

use serde::Deserialize;
use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

/// What a person has to look at.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Hold {
    /// It changes a key that the publisher wrote (Z-106, Z-107).
    BaseKey,
    /// What was said reads like an order to a model or about the schema (Z-169, Z-170).
    Instruction,
    /// It is not sure that what was said is English, and of keys in other languages too many are wrong (Z-041).
    Language,
    /// It is not sure that anything is asked for (Z-065).
    Demand,
    /// No example of it may be shown to others (Z-112).
    Examples,
    /// Its name says too little by itself.
    Name,
    /// It is not sure which values it takes (Z-111).
    Values,
    /// It is not sure whether its values mean what clients said or the opposite (Z-112).
    Polarity,
    /// The model that tells sensitive wishes and orders could not read what was said (Z-165, Z-170).
    Unscreened,
}

impl Hold {
    /// Whether it says only that the key may not be right, which a trial finds out as well.
    pub const fn is_uncertainty(self) -> bool {
        match self {
            Hold::Language | Hold::Demand | Hold::Examples | Hold::Name | Hold::Values | Hold::Polarity => true,
            Hold::BaseKey | Hold::Instruction | Hold::Unscreened => false,
        }
    }

    /// As in the journal and in answers.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// The reason in words, after "it waits because".
    pub const fn reason(self) -> &'static str {
        match self {
            Hold::BaseKey => "it changes a key that the publisher wrote",
            Hold::Instruction => "some of what was said reads like an order to a model or about the schema",
            Hold::Language => "what was said is not surely English, and no other language is read well enough",
            Hold::Demand => "what was said may ask for nothing",
            Hold::Examples => "too few clients said the same words for an example that may be shown to others",
            Hold::Name => "its name says too little by itself",
            Hold::Values => "it is not clear which values it takes",
            Hold::Polarity => "it is not clear whether its values stand for what clients said or for the opposite",
            Hold::Unscreened => "the model that tells sensitive wishes and orders could not read what was said",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_is_called_as_in_the_journal_z127() {
        for hold in Hold::VARIANTS {
            assert_eq!(serde_json::to_value(hold).expect("a word"), hold.code());
        }
    }
}
