//! The set-up as someone meets it on a new machine: each thing that is missing or wrong is one sentence that says what to
//! do. The script runs in a folder of its own, with a PATH that holds only what a test puts there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// Tools that every Linux has, taken from this machine.
const ORDINARY: [&str; 9] = [
    "sh",
    "dirname",
    "mktemp",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "cut",
    "sha256sum",
];
/// The sums that `tools/runtime.sh` pins for the library of each processor.
const LIBRARY_SHA256: &str = "2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24";
const LIBRARY_AARCH64_SHA256: &str = "f373ae5fd4d878ed17ebea26e5480bd3d0a15e3bd6bc94b878e6c1b73998d22a";
/// A python3 whose pip answers `--version` and then does what follows with `$dest`, its folder of downloads.
const PIP: &str = r#"[ "$1 $2" = "-m pip" ] || exit 1
[ "$3" = --version ] && exit 0
while [ "$1" != --dest ]; do shift; done
dest=$2
"#;

/// A machine that has all that is asked for, but for a library.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(machine.path("tools")).unwrap();
        fs::create_dir_all(machine.path("bin")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/runtime.sh");
        fs::copy(script, machine.path("tools/runtime.sh")).unwrap();
        for tool in ORDINARY {
            symlink(found(tool), machine.path("bin").join(tool)).unwrap();
        }
        machine.tool("cargo", "exit 0");
        machine.tool("cc", "exit 0");
        machine.tool("python3", &format!("{PIP}echo wheel >\"$dest/onnxruntime.whl\""));
        machine.uname("Linux", "x86_64");
        machine.tool("getconf", "echo glibc 2.27");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn uname(&self, system: &str, processor: &str) {
        let script = format!("case \"$1\" in -s) echo {system} ;; -m) echo {processor} ;; esac");
        self.tool("uname", &script);
    }

    fn without(&self, name: &str) {
        fs::remove_file(self.path("bin").join(name)).unwrap();
    }

    fn library(&self) -> PathBuf {
        let folder = self.path(".runtime/onnxruntime");
        fs::create_dir_all(&folder).unwrap();
        folder.join("libonnxruntime.so.1.24.4")
    }

    /// Whether the set-up succeeded, and what it said.
    fn set_up(&self, named: Option<&Path>) -> (bool, String) {
        let mut command = Command::new(found("sh"));
        command.arg(self.path("tools/runtime.sh")).env("PATH", self.path("bin"));
        match named {
            Some(path) => command.env("ORT_DYLIB_PATH", path),
            None => command.env_remove("ORT_DYLIB_PATH"),
        };
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    }

    /// What the set-up says when it fails: its last line, which is the only one of its own.
    fn refusal(&self, named: Option<&Path>) -> String {
        let (succeeded, said) = self.set_up(named);
        assert!(!succeeded, "the set-up passed: {said}");
        let sentence = said.lines().last().unwrap_or_default();
        assert!(sentence.starts_with("set-up: "), "{said}");
        sentence.to_owned()
    }
}

fn found(tool: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join(tool))
        .find(|place| place.is_file())
        .unwrap_or_else(|| panic!("{tool} is nowhere on the PATH"))
}

#[test]
fn each_thing_that_is_missing_or_wrong_is_a_sentence_that_says_what_to_do() {
    /// What is wrong with the machine.
    type Wrong = fn(&Machine);
    let cases: [(Wrong, &str); 14] = [
        (|machine| machine.without("cargo"), "cargo is missing: install Rust"),
        (|machine| machine.without("cc"), "cc is missing: install a C compiler"),
        (
            |machine| machine.without("python3"),
            "python3 is missing: install it with pip",
        ),
        (
            |machine| machine.tool("python3", "exit 1"),
            "python3 has no pip: install it",
        ),
        (|machine| machine.uname("Darwin", "arm64"), "this is arm64 Darwin"),
        (|machine| machine.uname("Linux", "riscv64"), "this is riscv64 Linux"),
        (|machine| machine.uname("Darwin", "x86_64"), "set ORT_DYLIB_PATH"),
        (
            |machine| machine.tool("getconf", "echo glibc 2.26"),
            "needs glibc 2.27 or later and this is glibc 2.26",
        ),
        (|machine| machine.tool("getconf", "exit 1"), "which this Linux has not"),
        (
            |machine| fs::write(machine.library(), "something else").unwrap(),
            "is not the library that is pinned",
        ),
        (
            |machine| fs::write(machine.library(), "something else").unwrap(),
            "remove the folder .runtime",
        ),
        // At the edge of what is asked of glibc it goes on, and gets a wheel with another sum.
        (
            |_| {},
            "wheel of onnxruntime 1.24.4 that pip got is not the one that is pinned",
        ),
        (
            |machine| machine.tool("python3", &format!("{PIP}echo 'no matching distribution'\nexit 1")),
            "pip could not get onnxruntime 1.24.4",
        ),
        (
            |machine| machine.tool("python3", &format!("{PIP}exit 0")),
            "pip got no wheel",
        ),
    ];
    for (change, says) in cases {
        let machine = Machine::new();
        change(&machine);
        let said = machine.refusal(None);
        assert!(said.contains(says), "{says}: {said}");
        let left = fs::read_dir(machine.path(".runtime/onnxruntime")).into_iter().flatten();
        let left = left.filter(|left| left.as_ref().is_ok_and(|left| left.path() != machine.library()));
        assert_eq!(left.count(), 0, "{says}");
    }
}

#[test]
fn the_other_processor_has_a_library_of_its_own_in_a_folder_of_its_own() {
    let machine = Machine::new();
    let got = |processor: &str| {
        let mut command = Command::new(found("sh"));
        command.arg(machine.path("tools/runtime.sh")).arg(processor);
        let output = command.env("PATH", machine.path("bin")).output().unwrap();
        [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap())
    };
    assert!(got("riscv64")[1].contains("no library of ONNX Runtime is pinned for riscv64"));
    let place = machine.path(".runtime/onnxruntime-aarch64");
    fs::create_dir_all(&place).unwrap();
    let library = place.join("libonnxruntime.so.1.24.4");
    fs::write(&library, "kept").unwrap();
    machine.tool("sha256sum", &format!("echo {LIBRARY_SHA256}"));
    assert!(got("aarch64")[1].contains("is not the library that is pinned"));
    machine.tool("sha256sum", &format!("echo {LIBRARY_AARCH64_SHA256}"));
    assert_eq!(got("aarch64"), [format!("{}\n", library.display()), String::new()]);
}

#[test]
fn a_library_with_the_right_sum_is_kept_and_nothing_is_fetched() {
    let machine = Machine::new();
    fs::write(machine.library(), "kept").unwrap();
    machine.tool("sha256sum", &format!("echo {LIBRARY_SHA256}"));
    machine.without("python3");
    assert_eq!(machine.set_up(None), (true, String::new()));
    assert_eq!(fs::read_to_string(machine.library()).unwrap(), "kept");
}

#[test]
fn a_library_of_ones_own_is_used_as_it_is() {
    let machine = Machine::new();
    machine.without("python3");
    machine.uname("Darwin", "arm64");
    let own = machine.path("own.so");
    let said = machine.refusal(Some(&own));
    assert!(
        said.contains("ORT_DYLIB_PATH names") && said.contains("which is not a file"),
        "{said}"
    );
    fs::write(&own, "").unwrap();
    assert_eq!(machine.set_up(Some(&own)), (true, String::new()));
    assert!(!machine.path(".runtime").exists());
}

#[test]
fn the_targets_are_listed_and_the_set_up_goes_before_what_needs_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let makefile = fs::read_to_string(root.join("Makefile")).unwrap();
    for target in ["run", "test", "bench"] {
        assert!(makefile.contains(&format!("\n{target}: setup ## ")), "{target}");
    }
    let run = fs::read_to_string(root.join(".ci/run")).unwrap();
    let [lints, tests] =
        ["make --no-print-directory lint", "make --no-print-directory test"].map(|step| run.find(step));
    assert!(lints.is_some() && lints < tests);
}
