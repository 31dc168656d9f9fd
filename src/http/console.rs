//! The page for people under `/console/`: its files, which are a part of the program, and the headers that hold a browser to them.
//!
//! Knows nothing of what the page shows: it asks the API like any other client. Invariant: what is loaded from here runs nothing
//! that is not from here (Content-Security-Policy), and every address in it is relative, so that it works behind any prefix.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::Scope;
use actix_web::guard;
use actix_web::http::header;
use actix_web::http::header::AcceptEncoding;
use actix_web::http::header::ContentEncoding;
use actix_web::http::header::Encoding;
use actix_web::http::header::Header;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::web;
use actix_web::web::Bytes;
use actix_web::web::Path;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::Digest;
use sha2::Sha256;

use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::call::app_state;
use crate::http::middleware::Shown;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use text::name::hexadecimal;

/// Where the page lies.
pub const HOME: &str = "/console";

/// The file that is meant where none is named.
const INDEX: &str = "index.html";

/// Nothing from elsewhere, nothing inline, and no text that becomes HTML or script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

/// Beside `nosniff`, which every answer has.
const GUARDS: [(&str, &str); 3] = [
    ("content-security-policy", POLICY),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// A newer program brings newer files under the same names: asked for again each time, and the entity tag spares the body.
const CACHE: &str = "no-cache";

/// What a file holds: as the program was built with it, or as it lies on disk in a build for development, where nobody wants to build
/// the program anew for a colour.
#[cfg(not(debug_assertions))]
macro_rules! content {
    ($name:literal) => {
        Cow::Borrowed(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/console/", $name)).as_slice())
    };
}
#[cfg(debug_assertions)]
macro_rules! content {
    ($name:literal) => {
        Cow::Owned(std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/console/", $name)).unwrap_or_default())
    };
}

macro_rules! files {
    ($($name:literal)*) => {
        /// The files of the page.
        pub const FILES: &[&str] = &[$($name),*];

        fn content(name: &str) -> Option<Cow<'static, [u8]>> {
            match name {
                $($name => Some(content!($name)),)*
                _ => None,
            }
        }
    };
}

files! {
    "index.html" "style.css" "app.js" "router.js" "api.js" "live.js" "keys.js" "text.js" "text/en.json"
    "parts/bits.js" "parts/table.js" "parts/chart.js" "parts/dialog.js" "parts/drawer.js" "parts/evidence.js" "parts/edit.js" "parts/diff.js"
    "views/waits.js" "views/values.js" "views/login.js" "views/missing.js" "views/scenarios.js" "views/try.js" "views/overview.js"
    "views/changed.js" "views/candidate.js" "views/sides.js" "views/uses.js"
    "vendor/preact.js" "vendor/hooks.js" "vendor/htm.js" "vendor/LICENSES"
}

/// A file as it is served.
struct File {
    media: &'static str,
    plain: Bytes,
    gzip: Bytes,
    /// With its quotes; weak, since it names both encodings.
    etag: String,
}

/// Read once; compressed once.
static KEPT: LazyLock<BTreeMap<&'static str, File>> = LazyLock::new(|| {
    let kept = FILES.iter().filter_map(|name| Some((*name, File::read(name)?)));
    kept.collect()
});

/// By which a page knows that its program was replaced: the same as long as the files are.
pub fn digest() -> String {
    let mut all = Sha256::new();
    for file in KEPT.values() {
        all.update(&file.etag);
    }
    hexadecimal(&all.finalize())
}

impl File {
    fn read(name: &str) -> Option<File> {
        let content = content(name)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&content).ok()?;
        Some(File {
            media: media(name),
            etag: format!("W/\"{}\"", hexadecimal(&Sha256::digest(&content))),
            gzip: gzip.finish().ok()?.into(),
            plain: content.into_owned().into(),
        })
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let asked = AcceptEncoding::parse(request).ok();
        let best = asked.and_then(|asked| asked.negotiate([Encoding::identity(), Encoding::gzip()].iter()));
        let is_gzip = best == Some(Encoding::gzip());
        let body = if is_gzip { &self.gzip } else { &self.plain };
        let mut response = answer::cached(request, &self.etag, CACHE, self.media, body.clone());
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_gzip {
            headers.insert(
                header::CONTENT_ENCODING,
                HeaderValue::from_static(ContentEncoding::Gzip.as_str()),
            );
        }
        for (name, value) in GUARDS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }
}

fn media(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Everything under [`HOME`].
pub fn scope() -> Scope {
    let file = web::resource("/{file:.*}").app_data(Shown(format!("{HOME}/{{file}}")));
    let home = web::resource("").app_data(Shown(HOME.to_owned()));
    let read = || guard::Any(guard::Get()).or(guard::Head());
    let (home, file) = (
        home.default_service(web::to(refuse)),
        file.default_service(web::to(refuse)),
    );
    web::scope(HOME)
        .service(home.route(web::route().guard(read()).to(lead_home)))
        .service(file.route(web::route().guard(read()).to(read_file)))
}

async fn refuse() -> Answer {
    let mut problem = Problem::new(Code::MethodNotAllowed, "the methods here are GET, HEAD");
    problem.allow = Some("GET, HEAD".into());
    Err(problem)
}

async fn lead_home(request: HttpRequest) -> Answer {
    is_on(&request)?;
    Ok(HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, "console/"))
        .finish())
}

async fn read_file(request: HttpRequest, name: Path<String>) -> Answer {
    is_on(&request)?;
    let name = if name.is_empty() { INDEX } else { name.as_str() };
    let answered = if cfg!(debug_assertions) {
        File::read(name).map(|file| file.answer(&request))
    } else {
        KEPT.get(name).map(|file| file.answer(&request))
    };
    answered.ok_or_else(nothing)
}

/// Where the page is, for whoever comes to `/` with a browser.
pub fn for_people(request: &HttpRequest) -> Option<HttpResponse> {
    let accepted = request.headers().get(header::ACCEPT)?.to_str().ok()?;
    let is_asked = accepted.contains("text/html") && is_on(request).is_ok();
    is_asked.then(|| {
        HttpResponse::SeeOther()
            .insert_header((header::LOCATION, "console/"))
            .insert_header((header::VARY, "accept"))
            .finish()
    })
}

fn is_on(request: &HttpRequest) -> Result<(), Problem> {
    if app_state(request)?.console {
        Ok(())
    } else {
        Err(nothing())
    }
}

fn nothing() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this address")
}
