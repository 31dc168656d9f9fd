//! What is said of one operation: its words, parameters, body, answers, and the failures of its own.
//!
//! Knows neither the table of addresses nor the document. The failures that follow from an address stand in
//! [`crate::edge::http::openapi::failures`].

use utoipa::ToSchema;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::edge::http::openapi::parameters::Param;
use crate::edge::wire::codes::Code;

/// A schema by its name, with a way to collect it and those that it names.
#[derive(Clone, Copy)]
pub struct Shape {
    /// `#/components/schemas/…`
    pub reference: fn() -> Ref,
    /// Adds the schema and all those below it.
    pub collect: fn(&mut Vec<(String, RefOr<Schema>)>),
}

/// The shape of a type.
pub fn shape<T: ToSchema>() -> Shape {
    Shape {
        reference: || Ref::from_schema_name(T::name()),
        collect: |schemas| {
            schemas.push((T::name().into_owned(), T::schema()));
            T::schemas(schemas);
        },
    }
}

/// What is sent.
#[derive(Clone, Copy)]
pub struct Sent {
    pub shape: Shape,
    /// Whether the body may be left out.
    pub required: bool,
}

/// The header that says where an answer leads.
pub const LOCATION: &str = "Location";

/// What comes back in one case.
#[derive(Clone)]
pub struct Said {
    pub status: u16,
    pub what: &'static str,
    pub form: Form,
    /// Names of headers, as in [`crate::edge::http::openapi::parameters::HEADERS`].
    pub headers: &'static [&'static str],
    /// Where its `Location` leads to the first example that is answered so.
    pub location: Option<&'static str>,
}

/// In which form something comes back.
#[derive(Clone)]
pub enum Form {
    /// A JSON document.
    Json(Shape),
    /// A template, or what [`schema::export`] makes of it.
    TemplateOrExport(Shape),
    /// A file of one of these media types.
    Files(&'static [&'static str]),
    /// Text of this media type.
    Text(&'static str),
    /// No body.
    Nothing,
}

/// One operation.
#[derive(Clone)]
pub struct Described {
    pub method: &'static str,
    /// As in the table, under its prefix, without the expressions of its segments: `/schemas/{schema_id}`.
    pub path: &'static str,
    /// Unique, snake_case.
    pub id: &'static str,
    pub group: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub parameters: Vec<Param>,
    pub sent: Option<Sent>,
    pub said: Vec<Said>,
    /// Failures beside those that follow from the address.
    pub codes: Vec<Code>,
    /// Whether it records something, so that it fails where nothing can be recorded.
    pub writes: bool,
}

/// An operation of a group.
pub fn operation(
    group: &'static str,
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
) -> Described {
    Described {
        method,
        path,
        id,
        group,
        summary,
        description: "",
        parameters: Vec::new(),
        sent: None,
        said: Vec::new(),
        codes: Vec::new(),
        writes: false,
    }
}

impl Described {
    /// More than the summary.
    pub fn says(mut self, description: &'static str) -> Described {
        self.description = description;
        self
    }

    /// A parameter in the path, the query or the head.
    pub fn takes(mut self, parameter: Param) -> Described {
        self.parameters.push(parameter);
        self
    }

    /// A body that must be there.
    pub fn body<T: ToSchema>(mut self) -> Described {
        self.sent = Some(Sent {
            shape: shape::<T>(),
            required: true,
        });
        self
    }

    /// A body that may be left out.
    pub fn body_or_none<T: ToSchema>(mut self) -> Described {
        self.sent = Some(Sent {
            shape: shape::<T>(),
            required: false,
        });
        self
    }

    /// A JSON document comes back.
    pub fn answers<T: ToSchema>(self, status: u16, what: &'static str) -> Described {
        self.said(status, what, Form::Json(shape::<T>()))
    }

    /// Something else comes back.
    pub fn said(mut self, status: u16, what: &'static str, form: Form) -> Described {
        self.said.push(Said {
            status,
            what,
            form,
            headers: &[],
            location: None,
        });
        self
    }

    /// Headers of the answer that was named last.
    pub fn with(mut self, headers: &'static [&'static str]) -> Described {
        if let Some(last) = self.said.last_mut() {
            last.headers = headers;
        }
        self
    }

    /// The answer that was named last leads elsewhere, and an example shows where.
    pub fn leads(mut self, to: &'static str) -> Described {
        if let Some(last) = self.said.last_mut() {
            last.headers = &[LOCATION];
            last.location = Some(to);
        }
        self
    }

    /// Failures of its own, beside those that were named before.
    pub fn fails(mut self, codes: &[Code]) -> Described {
        self.codes.extend_from_slice(codes);
        self
    }

    /// It records something.
    pub fn writes(mut self) -> Described {
        self.writes = true;
        self
    }
}
