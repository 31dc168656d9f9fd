//! The key that a model's server wants: read from where the settings say, shown to nobody.

use std::path::Path;

use hyper::header::HeaderValue;

use crate::adapters::outbound::bearer;
use crate::config::calls::Model;

/// The value of the header `Authorization`, marked as a secret; `None` where the settings name no place of a key.
///
/// # Errors
/// Which place holds no key, in a sentence that does not repeat what it holds.
pub fn authorization(settings: &Model) -> Result<Option<HeaderValue>, String> {
    let (place, text) = if !settings.key_env.is_empty() {
        let place = format!("the environment variable {} (model.key_env)", settings.key_env);
        (place, bearer::of_environment(&settings.key_env))
    } else if !settings.key_file.is_empty() {
        let place = format!("the file {} (model.key_file)", settings.key_file);
        (place, bearer::of_file(Path::new(&settings.key_file)))
    } else {
        return Ok(None);
    };
    bearer::authorization(&place, text).map(Some)
}

#[cfg(test)]
mod tests {
    use super::authorization;
    use crate::config::calls::Model;

    fn of(text: &str) -> Result<Option<String>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, text).expect("written");
        let settings = Model {
            key_file: file.display().to_string(),
            ..Model::default()
        };
        let found = authorization(&settings)?;
        Ok(found.map(|value| {
            assert_eq!(format!("{value:?}"), "Sensitive");
            value.to_str().expect("text").to_owned()
        }))
    }

    #[test]
    fn a_key_is_one_line_of_visible_characters() {
        assert_eq!(of("sk-secret\n"), Ok(Some("Bearer sk-secret".to_owned())));
        assert_eq!(of(&"k".repeat(8_192)).expect("a key").map(|key| key.len()), Some(8_199));
        for wrong in [
            "",
            "\n",
            "sk secret",
            "sk-secret\nsk-other",
            "sk-s\u{e9}cret",
            &"k".repeat(8_193),
        ] {
            let said = of(wrong).expect_err("no key");
            assert!(said.contains("model.key_file") && !said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn a_place_that_is_not_there_is_named_and_none_means_none() {
        assert_eq!(authorization(&Model::default()), Ok(None));
        for settings in [
            Model {
                key_file: "no/such/file".to_owned(),
                ..Model::default()
            },
            Model {
                key_env: "OTHERWISE_TEST_NO_SUCH_KEY".to_owned(),
                ..Model::default()
            },
        ] {
            let said = authorization(&settings).expect_err("no key");
            assert!(
                said.contains("no/such/file") || said.contains("OTHERWISE_TEST_NO_SUCH_KEY"),
                "{said}"
            );
        }
    }
}
