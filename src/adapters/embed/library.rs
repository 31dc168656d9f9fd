//! Where is ONNX Runtime? Its shared library is not linked but looked up and loaded at the start.
//!
//! Fetches nothing: `make` does. Invariant: whatever is missing or wrong, the answer is one sentence that says what to do,
//! never a panic.

use std::env;
use std::fs::File;
use std::io::Read;
use std::panic;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use ort::environment::Environment;

/// The variable that names the library; when it is set, no other place is looked at.
pub const VARIABLE: &str = "ORT_DYLIB_PATH";
/// The library, in the version that the service is tested with.
pub const LIBRARY: &str = "libonnxruntime.so.1.24.4";
/// Where `make` puts it, relative to the repository.
pub const PLACE: &str = ".runtime/onnxruntime";

/// What to do, the same for every fault.
const ADVICE: &str = "run `make setup`, or set ORT_DYLIB_PATH to the libonnxruntime.so of ONNX Runtime 1.24 or later";

/// One environment serves the whole process; ONNX Runtime allows no second one.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The library's path, absolute: what `ORT_DYLIB_PATH` names; else beside the executable, or with what is installed with it; else where `make` put it, seen
/// from the current folder, the sources and the folders above the executable.
///
/// # Errors
/// A sentence that says where it was looked for and what to do.
pub fn find() -> Result<PathBuf, String> {
    let named = env::var_os(VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    find_among(named.as_deref(), &places())
}

/// As [`find`], with what the variable names and the places to look at otherwise.
///
/// # Errors
/// As [`find`].
pub fn find_among(named: Option<&Path>, places: &[PathBuf]) -> Result<PathBuf, String> {
    if let Some(path) = named {
        if path.is_file() {
            return absolute(path);
        }
        return Err(format!(
            "{VARIABLE} names {}, which is not a file: {ADVICE}",
            path.display()
        ));
    }
    match places.iter().find(|place| place.is_file()) {
        Some(place) => absolute(place),
        None => Err(format!(
            "the library of ONNX Runtime ({LIBRARY}) was not found: {ADVICE}"
        )),
    }
}

fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    let executable = env::current_exe().ok();
    let above: Vec<&Path> = executable.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    if let Some(beside) = above.first() {
        places.push(beside.join(LIBRARY));
        places.push(beside.join("libonnxruntime.so"));
        places.push(beside.join("../share/otherwise").join(LIBRARY));
    }
    places.push(Path::new(PLACE).join(LIBRARY));
    places.push(Path::new(env!("CARGO_MANIFEST_DIR")).join(PLACE).join(LIBRARY));
    places.extend(above.iter().map(|folder| folder.join(PLACE).join(LIBRARY)));
    places
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{} cannot be made absolute: {error}", path.display()))
}

/// Loads the library, once for the process, and gives its environment.
///
/// # Errors
/// A sentence, when the file is no library for this processor or not a fitting ONNX Runtime.
pub fn load(path: &Path) -> Result<Environment, String> {
    check(path)?;
    let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = environment.as_ref() {
        return Ok(environment.clone());
    }
    let loaded = panic::catch_unwind(|| {
        let builder = ort::init_from(path).map_err(|error| error.to_string())?;
        let builder = builder.with_name("otherwise").with_telemetry(false);
        builder.build().map_err(|error| error.to_string())
    });
    match loaded {
        Ok(Ok(made)) => {
            *environment = Some(made.clone());
            Ok(made)
        }
        Ok(Err(what)) => Err(format!("{} cannot be loaded ({what}): {ADVICE}", path.display())),
        Err(_) => Err(format!("{} cannot be loaded: {ADVICE}", path.display())),
    }
}

/// Whether a file is a shared library for this processor, by its header: loading another one tells less.
///
/// # Errors
/// A sentence that says what it is not.
pub fn check(path: &Path) -> Result<(), String> {
    let mut header = Vec::new();
    File::open(path)
        .and_then(|file| file.take(20).read_to_end(&mut header))
        .map_err(|error| format!("{} cannot be read ({error}): {ADVICE}", path.display()))?;
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let number = |at: usize| header.get(at..at + 2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    let [0x7f, b'E', b'L', b'F', class, order, ..] = header.as_slice() else {
        return Err(format!("{} is not a shared library: {ADVICE}", path.display()));
    };
    let (Some(SHARED_OBJECT), Some(machine)) = (number(16), number(18)) else {
        return Err(format!("{} is not a shared library: {ADVICE}", path.display()));
    };
    if *class == CLASS_64 && *order == LITTLE_ENDIAN && MACHINE.is_none_or(|ours| ours == machine) {
        return Ok(());
    }
    Err(format!(
        "{} is a library for another processor than this {} one: {ADVICE}",
        path.display(),
        env::consts::ARCH
    ))
}

/// `ET_DYN` in an ELF header.
const SHARED_OBJECT: u16 = 3;
/// `ELFCLASS64` in an ELF header.
const CLASS_64: u8 = 2;
/// `ELFDATA2LSB` in an ELF header.
const LITTLE_ENDIAN: u8 = 1;
/// `e_machine` of the processor that this program is built for; `None` where it is not known.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else {
    None
};

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn header(kind: u16, machine: u16) -> Vec<u8> {
        let mut bytes = vec![0x7f, b'E', b'L', b'F', CLASS_64, LITTLE_ENDIAN];
        bytes.resize(16, 0);
        bytes.extend(kind.to_le_bytes());
        bytes.extend(machine.to_le_bytes());
        bytes.extend([0; 44]);
        bytes
    }

    fn said_of(bytes: &[u8]) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LIBRARY);
        fs::write(&path, bytes).unwrap();
        check(&path)
    }

    #[test]
    fn a_missing_library_is_said_with_what_to_do_z084() {
        let nowhere = PathBuf::from("/nonexistent/libonnxruntime.so");
        let said = find_among(None, std::slice::from_ref(&nowhere)).unwrap_err();
        assert!(said.contains("was not found: run `make setup`"), "{said}");
        let said = find_among(Some(&nowhere), &[]).unwrap_err();
        assert!(said.contains("ORT_DYLIB_PATH names /nonexistent"), "{said}");
    }

    #[test]
    fn the_variable_goes_before_every_place_z084() {
        let folder = tempfile::tempdir().unwrap();
        let [named, placed] = ["named.so", "placed.so"].map(|name| folder.path().join(name));
        fs::write(&named, b"").unwrap();
        fs::write(&placed, b"").unwrap();
        assert_eq!(find_among(Some(&named), std::slice::from_ref(&placed)).unwrap(), named);
        assert_eq!(find_among(None, std::slice::from_ref(&placed)).unwrap(), placed);
        fs::remove_file(&named).unwrap();
        assert!(find_among(Some(&named), &[placed]).is_err());
    }

    #[test]
    fn a_file_that_is_no_library_for_this_processor_is_refused_z084() {
        let ours = MACHINE.unwrap_or(62);
        assert_eq!(said_of(&header(SHARED_OBJECT, ours)), Ok(()));
        assert!(said_of(&header(2, ours)).unwrap_err().contains("not a shared library"));
        assert!(
            said_of(&header(SHARED_OBJECT, 40))
                .unwrap_err()
                .contains("another processor")
        );
        assert!(
            said_of(&header(SHARED_OBJECT, ours)[..19])
                .unwrap_err()
                .contains("not a shared library")
        );
        assert!(
            said_of(b"<html>not found</html>")
                .unwrap_err()
                .contains("not a shared library")
        );
        assert!(said_of(b"").unwrap_err().contains("not a shared library"));
    }
}
