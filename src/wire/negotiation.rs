//! Asking for a template: by the draft's request (Z-173, Z-174), bare or wrapped in JSON-RPC members, or by parameters.

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::negotiation::Pin;
use crate::app::negotiation::Until;
use crate::app::reply;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use crate::wire::codes::Code;
use crate::wire::params::Params;
use crate::wire::problem::Problem;
use context::a2a_task::asked::TEMPLATE_METHOD;
use schema::capabilities::Capabilities;
use schema::export::Form;
use schema::export::NAMES;
use schema::time::At;
use schema::time::SUPPORTED;
use schema::version_range;
use schema::version_range::VersionRange;

/// The one method that the draft names.
pub const METHOD: &str = TEMPLATE_METHOD;

/// Which template is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    pub scenario: String,
    /// Which of its schemas (Z-182).
    pub pin: Pin,
    /// BCP 47 tags in the order of preference, as `Accept-Language` lists them.
    pub preferred_language: Option<String>,
    /// Whether keys on trial are wanted (Z-182); true when nothing is said.
    pub experimental: bool,
    /// `None` for the template itself.
    pub form: Option<Form>,
    /// `None` for the template as it is now.
    pub as_of: Option<Until>,
    /// What of the client's capabilities is not heeded (Z-182).
    pub ignored: Vec<String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    method: String,
    #[serde(borrow)]
    params: &'a RawValue,
}

impl Negotiation {
    /// Reads `{"method": "get_schema_template", "params": {…}}`.
    ///
    /// # Errors
    /// `bad_request` saying what is missing or has the wrong form, in a sentence that holds no value.
    pub fn parse(text: &str) -> Result<Negotiation, Problem> {
        let message: Message<'_> = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Problem::new(
                Code::BadRequest,
                if error.is_data() {
                    format!(
                        "not a negotiation request ({place}): it is {{\"method\": \"{METHOD}\", \"params\": {{\"scenario\": …, \"schema_id\"?: …, \"version\"?: …, \
                         \"preferred_language\"?: …, \"experimental\"?: …, \"format\"?: …, \"as_of\"?: …, \
                         \"capabilities\"?: …}}}}"
                    )
                } else {
                    format!("the body is not JSON ({place})")
                },
            )
        })?;
        if message.method != METHOD {
            let what = format!("unknown method; the one known here is {METHOD}");
            return Err(Problem::new(Code::BadRequest, what));
        }
        Negotiation::of(&Params::parse(message.params.get())?)
    }

    /// Reads `{"scenario", "schema_id"?, "version"?, "preferred_language"?, "experimental"?, "format"?, "as_of"?, "capabilities"?}`. A `format` counts before
    /// the `formats` that a client can take.
    ///
    /// # Errors
    /// `bad_request` and `bad_parameter`, naming what is wrong.
    pub fn of(params: &Params) -> Result<Negotiation, Problem> {
        let declared = params.given("capabilities").map(Capabilities::read).transpose();
        let declared = declared.map_err(|fault| Problem::new(Code::BadRequest, fault.to_string()))?;
        let Capabilities { form: takes, ignored } = declared.unwrap_or_default();
        Ok(Negotiation {
            scenario: params.required("scenario")?.to_owned(),
            pin: pin(params)?,
            preferred_language: params.texts("preferred_language")?,
            experimental: params.flag("experimental")?.unwrap_or(true),
            form: params.text("format")?.map(form).transpose()?.or(takes),
            as_of: params.text_or_whole("as_of")?.as_deref().map(until).transpose()?,
            ignored,
        })
    }

    /// What an address chooses by its parameters.
    pub const PARAMETERS: [&str; 6] = [
        "schema_id",
        "version",
        "preferred_language",
        "format",
        "experimental",
        "as_of",
    ];

    /// The template of a scenario as the [`Negotiation::PARAMETERS`] of an address choose it.
    ///
    /// # Errors
    /// `bad_parameter`, naming what is wrong.
    pub fn by_parameters<'a>(
        scenario: String,
        given: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Negotiation, Problem> {
        let wrong = |_| Problem::new(Code::BadParameter, "the parameter experimental must be true or false");
        let mut members = Map::from_iter([("scenario".to_owned(), Value::from(scenario))]);
        for name in Negotiation::PARAMETERS {
            let value = match given(name) {
                None => continue,
                Some(text) if name == "experimental" => Value::from(text.parse::<bool>().map_err(wrong)?),
                Some(text) => Value::from(text),
            };
            members.insert(name.to_owned(), value);
        }
        Negotiation::of(&Params::from(members))
    }

    /// The template; `Err` within when the caller holds it already.
    pub async fn fetch(
        &self,
        service: &App,
        caller: &Caller,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<TemplateReply, reply::Held<TemplateReply>>, Problem> {
        let wanted = Wanted {
            language: self.preferred_language.as_deref(),
            experimental: self.experimental,
            form: self.form,
        };
        let Some(until) = self.as_of else {
            return Ok(service.template(caller, &self.scenario, &self.pin, wanted, held)?);
        };
        let pin = self.pin.clone();
        let reply = service
            .template_as_of(caller, &self.scenario, pin, wanted, until)
            .await?;
        Ok(if held(&reply.etag) {
            Err(reply::Held(reply))
        } else {
            Ok(reply)
        })
    }

    /// The template for who holds none, in this language where none is named.
    pub async fn fetch_new(
        mut self,
        service: &App,
        caller: &Caller,
        language: Option<&str>,
    ) -> Result<TemplateReply, Problem> {
        self.preferred_language = self.preferred_language.or_else(|| language.map(str::to_owned));
        let fetched = self.fetch(service, caller, |_| false).await?;
        Ok(fetched.unwrap_or_else(|reply::Held(reply)| reply))
    }
}

/// The schema that is named, by `schema_id`, `version` or both.
///
/// # Errors
/// `bad_request`, naming what is no text, and `bad_parameter` for what is neither a version nor a requirement.
pub fn pin(params: &Params) -> Result<Pin, Problem> {
    pinned(params.text("schema_id")?, params.text("version")?)
}

/// The same by the texts themselves.
///
/// # Errors
/// `bad_parameter` for what is neither a version nor a requirement.
pub fn pinned(schema_id: Option<&str>, version: Option<&str>) -> Result<Pin, Problem> {
    let read = |text: &str| {
        let wrong = || {
            Problem::new(
                Code::BadParameter,
                format!("the parameter version {}", version_range::FORM),
            )
        };
        VersionRange::parse(text).ok_or_else(wrong)
    };
    Ok(Pin {
        schema_id: schema_id.map(str::to_owned),
        version: version.map(read).transpose()?,
    })
}

/// A form by its name.
///
/// # Errors
/// `bad_parameter`, naming the forms that there are.
fn form(name: &str) -> Result<Form, Problem> {
    Form::parse(name).ok_or_else(|| {
        let what = format!("the parameter format must be one of {}", NAMES.join(", "));
        Problem::new(Code::BadParameter, what)
    })
}

/// A revision or a moment.
///
/// # Errors
/// `bad_parameter` when it is neither.
fn until(text: &str) -> Result<Until, Problem> {
    Until::parse(text).ok_or_else(|| {
        let what = if At::is_beyond(text) {
            format!("the parameter as_of must be a revision or {SUPPORTED}")
        } else {
            "the parameter as_of must be a revision or an RFC 3339 moment, such as 2026-05-01T09:00:00Z".to_owned()
        };
        Problem::new(Code::BadParameter, what)
    })
}

#[cfg(test)]
mod tests {
    use super::Negotiation;
    use crate::app::negotiation::Until;
    use crate::wire::params::Params;
    use crate::wire::problem::Problem;
    use schema::export::Form;

    fn asked(members: &str) -> Result<Negotiation, Problem> {
        Negotiation::of(&Params::parse(&format!(r#"{{"scenario":"s",{members}}}"#)).expect("params"))
    }

    #[test]
    fn the_drafts_request_is_read_bare_and_wrapped_with_every_parameter_z105_z173_z174_z182() {
        let params = r#""params":{"scenario":"s","preferred_language":"en-US"}"#;
        for before in ["", r#""jsonrpc":"2.0","id":7,"#] {
            let text = format!(r#"{{{before}"method":"get_schema_template",{params}}}"#);
            let read = Negotiation::parse(&text).expect("a request");
            assert_eq!(
                (read.scenario.as_str(), read.experimental, read.form),
                ("s", true, None)
            );
            assert_eq!(read.preferred_language.as_deref(), Some("en-US"));
        }
        for (as_of, until) in [
            ("17", Some(Until::Revision(17))),
            ("17.0", Some(Until::Revision(17))),
            ("\"17\"", Some(Until::Revision(17))),
            ("null", None),
        ] {
            let read = asked(&format!(r#""experimental":false,"format":"gbnf","as_of":{as_of}"#)).expect("a request");
            assert_eq!(
                (read.experimental, read.form, read.as_of),
                (false, Some(Form::Gbnf), until)
            );
        }
        let named = asked(r#""schema_id":"s_v1","version":"1.0.0","preferred_language":["ja","fr;q=0.5"]"#);
        let named = named.expect("a request");
        let version = named.pin.version.as_ref().map(ToString::to_string);
        assert_eq!(
            (named.pin.schema_id.as_deref(), version.as_deref()),
            (Some("s_v1"), Some("1.0.0"))
        );
        assert_eq!(named.preferred_language.as_deref(), Some("ja, fr;q=0.5"));
        // Capabilities choose where no format does.
        let takes = r#""capabilities":{"formats":["toml","typescript"],"streaming":true}"#;
        for (members, form) in [
            (takes.to_owned(), Some(Form::Typescript)),
            (format!(r#""format":"gbnf",{takes}"#), Some(Form::Gbnf)),
        ] {
            let chosen = asked(&members).expect("a request");
            assert_eq!(chosen.form, form);
            assert_eq!(chosen.ignored, ["formats.toml", "streaming"]);
        }
    }

    #[test]
    fn what_is_wrong_is_named_without_its_value_z173() {
        for (members, says) in [
            (r#""schema_id":4711"#, "`schema_id` is a string"),
            (r#""version":4711"#, "`version` is a string"),
            (
                r#""version":"v4711""#,
                "must be a version such as 1.3.0, or a requirement such as ^1",
            ),
            (r#""preferred_language":["de",4711]"#, "a list of strings"),
            (r#""format":"4711""#, "json-schema"),
            (r#""as_of":"4711 soon""#, "must be a revision or an RFC 3339 moment"),
            (r#""as_of":"9999-12-31T23:59:59Z""#, "9999-12-30T22:00:00Z"),
            (r#""capabilities":["4711"]"#, "`capabilities` is an object"),
        ] {
            let told = asked(members).expect_err(members).detail;
            assert!(told.contains(says) && !told.contains("4711"), "{members}: {told}");
        }
        for (text, says) in [
            ("{", "not JSON"),
            ("[]", "not a negotiation request"),
            (r#"{"method":"get_schema_template"}"#, "not a negotiation request"),
            (r#"{"method":"drop_4711","params":{"scenario":"x"}}"#, "unknown method"),
        ] {
            let told = Negotiation::parse(text).expect_err(text).detail;
            assert!(told.contains(says) && !told.contains("4711"), "{text}: {told}");
        }
    }
}
