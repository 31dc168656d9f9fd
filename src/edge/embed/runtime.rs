//! Where the ONNX Runtime library is, and whether this machine can load it.
//!
//! The library is not linked: it is looked for in the place that is given, in `ORT_DYLIB_PATH`, beside the executable,
//! and where `make runtime` puts it. A place that is given and empty is an error rather than a reason to look on.

use std::fs::File;
use std::io::Read;
use std::panic::catch_unwind;
use std::path::Path;
use std::path::PathBuf;

use crate::service::ports::EmbedFault;

/// The library's file name, with the version that the model was measured with.
pub const LIBRARY: &str = "libonnxruntime.so.1.24.4";

/// Where `make runtime` puts the library, below the repository's root.
pub const FOLDER: &str = ".runtime/onnxruntime";

/// The variable that names another library.
pub const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Finds the library and loads it; the first one that was loaded stays for the life of the process.
///
/// # Errors
/// One sentence that says what to do.
pub fn load(given: Option<&Path>) -> Result<PathBuf, EmbedFault> {
    let path = find(given)?;
    check_machine(&path)?;
    let loaded = catch_unwind(|| ort::init_from(&path).map(|_| ()).map_err(|error| error.to_string()));
    match loaded {
        Ok(Ok(())) => Ok(path),
        Ok(Err(error)) => Err(fault(&path, &format!("cannot be loaded ({error})"))),
        Err(_) => Err(fault(&path, "cannot be loaded (it is not a usable ONNX Runtime)")),
    }
}

fn find(given: Option<&Path>) -> Result<PathBuf, EmbedFault> {
    let variable = std::env::var_os(VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    if let Some(path) = given.map(Path::to_owned).or(variable) {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(fault(&path, "does not exist"))
        };
    }
    places().into_iter().find(|path| path.is_file()).ok_or_else(|| {
        EmbedFault::Model(format!(
            "the ONNX Runtime library {LIBRARY} is missing: run `make runtime` in the repository, or set {VARIABLE} to \
             a copy of it"
        ))
    })
}

fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    let executable = std::env::current_exe().ok();
    if let Some(folder) = executable.as_deref().and_then(Path::parent) {
        places.push(folder.join(LIBRARY));
        places.push(folder.join("libonnxruntime.so"));
    }
    let roots = [PathBuf::from("."), PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    let above = executable
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .map(Path::to_owned);
    places.extend(
        roots
            .into_iter()
            .chain(above)
            .map(|root| root.join(FOLDER).join(LIBRARY)),
    );
    places
}

/// Reads the library's ELF header: loading one that was built for another machine only says that it cannot be opened.
fn check_machine(path: &Path) -> Result<(), EmbedFault> {
    let expected = match std::env::consts::ARCH {
        "x86_64" => 0x3e,
        "aarch64" => 0xb7,
        _ => return Ok(()),
    };
    let mut head = [0; 20];
    if let Err(error) = File::open(path).and_then(|mut file| file.read_exact(&mut head)) {
        return Err(fault(path, &format!("cannot be read ({error})")));
    }
    if !head.starts_with(b"\x7fELF") {
        return Err(fault(path, "is not a shared library for Linux"));
    }
    let machine = u16::from_le_bytes([head[18], head[19]]);
    if head[4] != 2 || machine != expected {
        let arch = std::env::consts::ARCH;
        return Err(fault(
            path,
            &format!("was built for another processor than this {arch} one"),
        ));
    }
    Ok(())
}

fn fault(path: &Path, what: &str) -> EmbedFault {
    EmbedFault::Model(format!(
        "the ONNX Runtime library {} {what}: run `make runtime` in the repository, or set {VARIABLE} to a copy of \
         {LIBRARY} for this machine",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::load;

    fn said(path: &Path) -> String {
        load(Some(path)).expect_err("no library").to_string()
    }

    #[test]
    fn what_is_no_library_for_this_machine_is_said_in_one_sentence_without_a_panic() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("libonnxruntime.so");
        assert!(said(&path).contains("does not exist: run `make runtime`"));
        fs::write(&path, b"short").expect("written");
        assert!(said(&path).contains("cannot be read"));
        fs::write(&path, [7; 64]).expect("written");
        assert!(said(&path).contains("is not a shared library"));
        let mut elf = [0; 64];
        elf[..5].copy_from_slice(b"\x7fELF\x02");
        elf[18] = 0x28;
        fs::write(&path, elf).expect("written");
        assert!(said(&path).contains("another processor"));
        elf[18] = if cfg!(target_arch = "x86_64") { 0x3e } else { 0xb7 };
        fs::write(&path, elf).expect("written");
        assert!(said(&path).contains("run `make runtime`"));
    }
}
