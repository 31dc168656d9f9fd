//! The settings as pages: `otherwise.example.toml` and `docs/settings.md`.

use toml::Value;

use crate::config::Settings;
use crate::config::settings;

const PRINCIPALS: &str = "\
# Who may call. Without any principal the service runs open: on loopback only, and everyone may do everything.
# A key is a secret of high entropy (`openssl rand -hex 32`); its hash is `printf %s KEY | sha256sum`.
# Roles: publisher, client, operator, auditor. `key_sha256` may be a list, for changing a key without a gap.
#
# [[principals]]
# name = \"travel-desk\"
# roles = [\"client\"]
# key_sha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"
# cohort = \"fleet\"
# disabled = false
";

const COHORTS: &str = "\
# Groups of clients that may learn keys of their own: a cohort's name, and whom it consists of. A `*` at the end stands for
# any rest of a name. A client is in one cohort at most: a name as such goes before a pattern, a longer pattern before a
# shorter one. In the file of `otherwise replay --policy` the same table is called [cohorts] too.
#
# [cohorts]
# fleet = [\"bus-*\", \"tram-7\"]
";

/// Each setting's default as TOML text, in the order of the pages.
fn defaults() -> Vec<String> {
    let table =
        toml::Table::try_from(Settings::default()).map_or_else(|_| Value::Table(toml::Table::new()), Value::Table);
    settings()
        .map(|setting| {
            let value = setting.path.split('.').try_fold(&table, |value, part| value.get(part));
            value.map(ToString::to_string).unwrap_or_default()
        })
        .collect()
}

/// `policy.pool.link_min` -> (`policy.pool`, `link_min`).
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// `otherwise.example.toml`: every setting with its default.
pub fn example() -> String {
    let mut page = String::from(
        "# Every setting of Otherwise with its default. Copy what you change to otherwise.toml and start with\n\
         # `otherwise serve --config otherwise.toml`. An environment variable such as OTHERWISE_SERVER__LISTEN overrides\n\
         # the file, a flag such as --listen overrides both. Unknown settings are refused.\n",
    );
    let mut section = "";
    for (setting, default) in settings().zip(defaults()) {
        let (here, name) = split(setting.path);
        if here != section {
            page.push_str(&format!("\n[{here}]\n"));
            section = here;
        }
        let unit = if setting.unit.is_empty() {
            String::new()
        } else {
            format!(" [{}]", setting.unit)
        };
        page.push_str(&format!("# {}{unit}\n{name} = {default}\n", setting.meaning));
    }
    page.push('\n');
    page.push_str(COHORTS);
    page.push('\n');
    page.push_str(PRINCIPALS);
    page
}

/// `docs/settings.md`.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         One TOML file (`--config otherwise.toml`, or the variable `OTHERWISE_CONFIG`); over it environment variables\n\
         `OTHERWISE_SECTION__KEY=value` (two underscores for each dot, so `policy.pool.link_min` is\n\
         `OTHERWISE_POLICY__POOL__LINK_MIN`); over both the flags `--listen`, `--data`, `--schemas`, `--models`. An unknown\n\
         setting, or a value out of range, stops the start with a sentence that names it. Variables that begin with\n\
         `OTHERWISE_` and hold no `__` are not settings and are passed over.\n\n\
         This page and `otherwise.example.toml` are written from the definitions in `src/config`; a test\n\
         holds them together (`UPDATE_DOCS=1 cargo test --lib settings` rewrites them).\n",
    );
    let mut section = "";
    for (setting, default) in settings().zip(defaults()) {
        let (here, name) = split(setting.path);
        if here != section {
            page.push_str(&format!(
                "\n## [{here}]\n\n| setting | default | unit | range | meaning |\n|---|---|---|---|---|\n"
            ));
            section = here;
        }
        page.push_str(&format!(
            "| `{name}` | `{default}` | {} | {} | {} |\n",
            setting.unit,
            setting.kind.range(),
            setting.meaning
        ));
    }
    page.push_str(
        "\n## [[principals]]\n\n\
         Who may call; only in the file. Without any, the service runs open: it listens on loopback only, every caller has\n\
         every role and may name itself in the header `Otherwise-Client`. Nobody checks that name: where the gate asks for so many \
         clients, one caller can be all of them, so that it protects nobody there.\n\n\
         | setting | default | meaning |\n|---|---|---|\n\
         | `name` | | The client's id: 1 to 128 visible ASCII characters, distinct. |\n\
         | `roles` | | One or more of `publisher`, `client`, `operator`, `auditor`. |\n\
         | `key_sha256` | | SHA-256 of the key in hexadecimal (`printf %s KEY \\| sha256sum`), or a list of them. |\n\
         | `cohort` | | The cohort that the client is in, as in `[cohorts]`. |\n\
         | `disabled` | `false` | Whether its keys are refused. |\n\
         \n## [cohorts]\n\n\
         Groups of clients that may learn keys of their own (Z-098); only in the file. A name of a cohort (1 to 64 lower-case\n\
         letters, digits, `_` and `-`) stands for a list of clients' names; a `*` at the end of one stands for any rest. A client\n\
         is in one cohort at most: a name as such goes before a pattern, a longer pattern before a shorter one, and nobody may\n\
         be declared twice. At most 100 cohorts, of 10000 names and patterns. Without any, there are keys for all and for\n\
         single clients alone.\n",
    );
    page
}

/// Compares a page of the repository with what it should say; with `UPDATE_DOCS=1` writes it instead.
#[cfg(test)]
pub fn assert_page(path: &str, should: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder is made");
        std::fs::write(&file, should).expect("the page is written");
    }
    let is = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        is == should,
        "{path} is out of date; rewrite it with UPDATE_DOCS=1 cargo test --lib"
    );
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;
    use crate::config::gather::Sources;

    #[test]
    fn the_example_is_complete_and_holds_the_defaults() {
        super::assert_page("otherwise.example.toml", &super::example());
        let sources = Sources {
            file: Some(("otherwise.example.toml".to_owned(), super::example())),
            ..Sources::default()
        };
        assert_eq!(Settings::gather(&sources), Ok(Settings::default()));
    }

    #[test]
    fn the_page_of_settings_is_up_to_date() {
        super::assert_page("docs/settings.md", &super::markdown());
    }
}
