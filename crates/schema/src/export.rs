//! Exports: an effective template in the form that a decoder, a model's tool interface, a program or a prompt takes
//! (docs/design.md §3).
//!
//! Knows the forms; knows nothing of clients and transports. Invariants: keys stand in one order everywhere, required ones
//! first and `other` last; what a form cannot hold is said in words beside the key, and listed as lost; the same template
//! gives the same bytes.

pub mod gbnf;
pub mod json_schema;
pub mod loss;
pub mod markdown;
pub mod safe_name;
pub mod shape;
pub mod sheet;
pub mod strict;
pub mod tokens;
pub mod tools;
pub mod typescript;
pub mod wording;
pub mod zod;

use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantArray;
use strum::VariantNames;

use crate::effective::EffectiveTemplate;
use crate::export::loss::Loss;
use crate::export::loss::Losses;
use crate::export::sheet::Sheet;

/// A form that a template is served in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Form {
    /// JSON Schema 2020-12; holds everything that is enforced.
    JsonSchema,
    /// JSON Schema as strict decoders take it: every key required, optional ones nullable, objects closed, no other keyword.
    JsonSchemaStrict,
    /// A function of OpenAI's Chat Completions, with the strict schema.
    OpenaiTool,
    /// A tool of Anthropic's Messages.
    AnthropicTool,
    /// A tool of the Model Context Protocol.
    McpTool,
    /// A grammar of llama.cpp.
    Gbnf,
    /// A type with doc comments.
    Typescript,
    /// A schema of Zod, for programs in TypeScript.
    Zod,
    /// A block for a prompt, with every description.
    Markdown,
}

/// Every form, in the order in which they are listed, and their names.
pub const FORMS: &[Form] = <Form as VariantArray>::VARIANTS;
pub const NAMES: &[&str] = <Form as VariantNames>::VARIANTS;

impl Form {
    /// The form's name, as it is asked for.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Reads a form's name.
    pub fn parse(text: &str) -> Option<Form> {
        text.parse().ok()
    }

    /// The media type of an export's text.
    pub fn media_type(self) -> &'static str {
        match self {
            Form::JsonSchema | Form::JsonSchemaStrict => "application/schema+json",
            Form::OpenaiTool | Form::AnthropicTool | Form::McpTool => "application/json",
            Form::Gbnf | Form::Typescript | Form::Zod => "text/plain; charset=utf-8",
            Form::Markdown => "text/markdown; charset=utf-8",
        }
    }
}

/// A template in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub form: Form,
    pub text: String,
    /// BCP 47 tag of the descriptions.
    pub language: String,
    /// By the rule of [`tokens::estimate`].
    pub tokens: u64,
    /// What the form does not hold as the template does.
    pub lost: Vec<Loss>,
}

impl EffectiveTemplate {
    /// The template in a form. Language and keys on trial are chosen as in [`EffectiveTemplate::document`], but for one
    /// thing: an export bears one language, the template's own where none was asked for (Z-055, Z-056, Z-174).
    pub fn export(&self, form: Form, preferred_language: Option<&str>, experimental: bool) -> Export {
        let sheet = Sheet::of(self, preferred_language, experimental);
        let mut losses = Losses::default();
        let text = match form {
            Form::JsonSchema => json_schema::text(&sheet),
            Form::JsonSchemaStrict => strict::text(&sheet, &mut losses),
            Form::OpenaiTool => tools::openai(&sheet, &mut losses),
            Form::AnthropicTool => tools::anthropic(&sheet),
            Form::McpTool => tools::mcp(&sheet),
            Form::Gbnf => gbnf::text(&sheet, &mut losses),
            Form::Typescript => typescript::text(&sheet, &mut losses),
            Form::Zod => zod::text(&sheet, &mut losses),
            Form::Markdown => markdown::text(&sheet),
        };
        Export {
            form,
            tokens: tokens::estimate(&text),
            text,
            lost: losses.list,
            language: sheet.language,
        }
    }
}

#[cfg(test)]
mod tests;
