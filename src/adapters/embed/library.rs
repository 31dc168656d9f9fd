//! Where is ONNX Runtime? Its shared library is not linked but looked up and loaded at the start.
//!
//! Fetches nothing: `make` does. Invariant: whatever is missing or wrong, the answer is one sentence that says what to do,
//! never a panic.

use std::env;
use std::panic;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use ort::environment::Environment;

/// The variable that names the library; when it is set, no other place is looked at.
const VARIABLE: &str = "ORT_DYLIB_PATH";
/// The library, in the version that the service is tested with.
pub const LIBRARY: &str = "libonnxruntime.so.1.24.4";
/// Where `make` puts it, relative to the repository.
pub const PLACE: &str = ".runtime/onnxruntime";

/// What to do, the same for every fault.
const ADVICE: &str = "run `make setup`, or set ORT_DYLIB_PATH to the libonnxruntime.so of ONNX Runtime 1.24 or later";

/// One environment serves the whole process; ONNX Runtime allows no second one.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Finds and loads the library, once for the process, and gives its environment.
///
/// # Errors
/// A sentence, when there is none, or the file is no library for this processor or not a fitting ONNX Runtime.
pub fn load() -> Result<Environment, String> {
    let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = environment.as_ref() {
        return Ok(environment.clone());
    }
    let named = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let path = find(named.map(PathBuf::from), &places())?;
    let loaded = panic::catch_unwind(|| {
        let builder = ort::init_from(&path).map_err(|error| error.to_string())?;
        let builder = builder.with_name("otherwise").with_telemetry(false);
        builder.build().map_err(|error| error.to_string())
    });
    let why = match loaded {
        Ok(Ok(made)) => return Ok(environment.insert(made).clone()),
        Ok(Err(what)) => what,
        Err(_) => "it is not a fitting one".to_owned(),
    };
    Err(format!("{} cannot be loaded ({why}): {ADVICE}", path.display()))
}

/// The library's path, absolute: the one that is named, else the first of the places that is there.
fn find(named: Option<PathBuf>, places: &[PathBuf]) -> Result<PathBuf, String> {
    let found = match &named {
        Some(named) if !named.is_file() => {
            let named = named.display();
            return Err(format!("{VARIABLE} names {named}, which is not a file: {ADVICE}"));
        }
        Some(named) => Some(named),
        None => places.iter().find(|place| place.is_file()),
    };
    let found = found.ok_or_else(|| format!("the library of ONNX Runtime ({LIBRARY}) was not found: {ADVICE}"))?;
    std::path::absolute(found).map_err(|error| format!("{} cannot be made absolute: {error}", found.display()))
}

/// Beside the executable, or with what is installed with it; else where `make` put it, seen from the current folder, the sources and
/// the folders above the executable.
fn places() -> Vec<PathBuf> {
    let executable = env::current_exe().ok();
    let above: Vec<&Path> = executable.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let beside = above.first().into_iter().flat_map(|beside| {
        let names = [LIBRARY, "libonnxruntime.so"].map(|name| beside.join(name));
        names
            .into_iter()
            .chain([beside.join("../share/otherwise").join(LIBRARY)])
    });
    let made = [Path::new(""), Path::new(env!("CARGO_MANIFEST_DIR"))];
    let made = made.iter().chain(&above).map(|folder| folder.join(PLACE).join(LIBRARY));
    beside.chain(made).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_variable_goes_before_every_place_and_a_missing_library_is_said_with_what_to_do_z084() {
        let folder = tempfile::tempdir().unwrap();
        let [named, placed] = ["named.so", "placed.so"].map(|name| folder.path().join(name));
        let said = find(None, std::slice::from_ref(&placed)).unwrap_err();
        assert!(said.contains("was not found: run `make setup`"), "{said}");
        fs::write(&placed, b"").unwrap();
        let said = find(Some(named.clone()), std::slice::from_ref(&placed)).unwrap_err();
        assert!(said.contains("ORT_DYLIB_PATH names /"), "{said}");
        fs::write(&named, b"").unwrap();
        assert_eq!(find(Some(named.clone()), std::slice::from_ref(&placed)).unwrap(), named);
        assert_eq!(find(None, std::slice::from_ref(&placed)).unwrap(), placed);
    }
}
