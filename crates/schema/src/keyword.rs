//! The JSON Schema keywords that a template may use (docs/design.md §3, Z-048, Z-051): a closed list.
//!
//! Knows which keyword speaks of which type; checks no value. Whatever is not listed here is refused at publishing.

use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantArray;

use crate::key::KeyType;

/// An admitted keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub enum Keyword {
    Enum,
    Const,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength,
    MaxLength,
    Pattern,
    Format,
    Items,
    MinItems,
    MaxItems,
    UniqueItems,
    Properties,
    Required,
    AdditionalProperties,
}

impl Keyword {
    /// The keyword as JSON Schema spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Reads a keyword; `None` for one that is not admitted.
    pub fn parse(text: &str) -> Option<Keyword> {
        text.parse().ok()
    }

    /// Whether the keyword can constrain a value of that type at all.
    pub fn speaks_of(self, key_type: KeyType) -> bool {
        match self {
            Keyword::Enum | Keyword::Const => true,
            Keyword::Minimum
            | Keyword::Maximum
            | Keyword::ExclusiveMinimum
            | Keyword::ExclusiveMaximum
            | Keyword::MultipleOf => matches!(key_type, KeyType::Integer | KeyType::Number),
            Keyword::MinLength | Keyword::MaxLength | Keyword::Pattern | Keyword::Format => key_type == KeyType::String,
            Keyword::Items | Keyword::MinItems | Keyword::MaxItems | Keyword::UniqueItems => key_type == KeyType::Array,
            Keyword::Properties | Keyword::Required | Keyword::AdditionalProperties => key_type == KeyType::Object,
        }
    }
}
