//! Where the folders lie that came with the program, when nobody says where: here, beside the program, or where it was installed.

use std::path::Path;
use std::path::PathBuf;

/// Where files that belong to a program of `bin/` are installed, seen from there.
const SHARED: &str = "../share/otherwise";

/// Puts the place of a folder in the stead of its usual name, where it does not lie in the current folder and does elsewhere.
pub fn find(folder: &mut String, usual: &str) {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    if let Some(found) = beside
        .filter(|_| folder == usual && !Path::new(usual).exists())
        .and_then(|beside| among(beside, usual))
    {
        *folder = found.display().to_string();
    }
}

fn among(beside: &Path, usual: &str) -> Option<PathBuf> {
    let places = [beside.join(usual), beside.join(SHARED).join(usual)];
    places.into_iter().find(|place| place.is_dir())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::among;
    use super::find;

    #[test]
    fn a_folder_beside_the_program_comes_before_one_that_was_installed() {
        let root = tempfile::tempdir().expect("a folder");
        let bin = root.path().join("bin");
        fs::create_dir_all(&bin).expect("made");
        assert_eq!(among(&bin, "models"), None);
        fs::create_dir_all(root.path().join("share/otherwise/models")).expect("made");
        assert_eq!(among(&bin, "models"), Some(bin.join("../share/otherwise/models")));
        fs::create_dir_all(bin.join("models")).expect("made");
        assert_eq!(among(&bin, "models"), Some(bin.join("models")));
    }

    #[test]
    fn what_is_named_or_lies_here_is_used_as_it_is() {
        for folder in ["elsewhere", "src"] {
            let mut named = folder.to_owned();
            find(&mut named, "src");
            assert_eq!(named, folder);
        }
    }
}
