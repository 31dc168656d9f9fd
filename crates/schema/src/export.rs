//! Exports: an effective template in the form that a decoder, a model's tool interface, a program or a prompt takes
//! (docs/design.md §3).
//!
//! Knows the forms; knows nothing of clients and transports. Invariants: keys stand in one order everywhere, required ones
//! first and `other` last; what a form cannot hold is said in words beside the key, and listed as lost; the same template
//! gives the same bytes.

pub mod gbnf;
pub mod grammar;
pub mod json_schema;
pub mod lark;
pub mod loss;
pub mod markdown;
pub mod pydantic;
pub mod safe_name;
pub mod shape;
pub mod sheet;
pub mod strict;
pub mod tame;
pub mod tokens;
pub mod tools;
pub mod typescript;
pub mod wording;
pub mod zod;

use std::borrow::Cow;

use serde_json::Value;
use serde_json::json;
use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantArray;
use strum::VariantNames;

use crate::effective::EffectiveTemplate;
use crate::export::loss::Loss;
use crate::export::loss::Losses;
use crate::export::sheet::Sheet;
use crate::export::tame::tamed;

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
    /// What `response_format` of OpenAI's Chat Completions takes, with the strict schema.
    OpenaiResponseFormat,
    /// A function of OpenAI's Responses, with the strict schema.
    OpenaiResponsesTool,
    /// A tool of Anthropic's Messages.
    AnthropicTool,
    /// A function declaration of Gemini, with the schema that it takes.
    GeminiTool,
    /// A tool of the Model Context Protocol.
    McpTool,
    /// A grammar of llama.cpp.
    Gbnf,
    /// A grammar of llguidance.
    Lark,
    /// A type with doc comments.
    Typescript,
    /// A schema of Zod, for programs in TypeScript.
    Zod,
    /// Models of Pydantic, for programs in Python.
    Pydantic,
    /// A block for a prompt, with every description.
    Markdown,
    /// The template with its tool, its block for a prompt and its JSON Schema, as one document.
    Bundle,
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
            Form::OpenaiTool
            | Form::OpenaiResponseFormat
            | Form::OpenaiResponsesTool
            | Form::AnthropicTool
            | Form::GeminiTool
            | Form::McpTool
            | Form::Bundle => "application/json",
            Form::Gbnf | Form::Lark | Form::Typescript | Form::Zod | Form::Pydantic => "text/plain; charset=utf-8",
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
        let mut losses = Losses::default();
        let template = match form {
            // What is read by a model and run by nothing.
            Form::Markdown => Cow::Borrowed(self),
            _ => tamed(self, &mut losses),
        };
        let sheet = Sheet::of(&template, preferred_language, experimental);
        let text = match form {
            Form::JsonSchema => json_schema::text(&sheet),
            Form::JsonSchemaStrict => strict::text(&sheet, &mut losses),
            Form::OpenaiTool | Form::OpenaiResponseFormat | Form::OpenaiResponsesTool => {
                tools::openai(form, &sheet, &mut losses)
            }
            Form::AnthropicTool => tools::anthropic(&sheet),
            Form::GeminiTool => strict::declaration(&sheet, &mut losses),
            Form::McpTool => tools::mcp(&sheet),
            Form::Gbnf => gbnf::text(&sheet, &mut losses),
            Form::Lark => lark::text(&sheet, &mut losses),
            Form::Typescript => typescript::text(&sheet, &mut losses),
            Form::Zod => zod::text(&sheet, &mut losses),
            Form::Pydantic => pydantic::text(&sheet, &mut losses),
            Form::Markdown => markdown::text(&sheet),
            Form::Bundle => {
                let mut template = self.document(preferred_language, experimental);
                template["patches"] = json!([]);
                return self.bundle(template, preferred_language, experimental);
            }
        };
        Export::new(form, text, sheet.language, losses.list)
    }

    /// The template as it is served, `template`, with the forms of it that an agent needs beside it, and what all of them are.
    pub fn bundle(&self, template: Value, preferred_language: Option<&str>, experimental: bool) -> Export {
        let mut losses = Losses::default();
        let tame = tamed(self, &mut losses);
        let sheet = Sheet::of(&tame, preferred_language, experimental);
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let bundle = json!({
            "schema_id": template["schema_id"],
            "scenario": template["scenario"],
            "version": template["version"],
            "revision": template["revision"],
            "language": template["language"],
            "digest": self.digest(preferred_language, experimental),
            "template": template,
            "tool": read(&tools::mcp(&sheet)),
            "prompt": markdown::text(&sheet),
            "json_schema": read(&json_schema::text(&sheet)),
        });
        Export::new(Form::Bundle, bundle.to_string(), sheet.language, losses.list)
    }
}

impl Export {
    fn new(form: Form, text: String, language: String, lost: Vec<Loss>) -> Export {
        Export {
            form,
            tokens: tokens::estimate(&text),
            text,
            language,
            lost,
        }
    }
}

#[cfg(test)]
mod tests;
