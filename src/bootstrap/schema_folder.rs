//! Schemas that lie as files in a folder and are published at start, or as soon as something may be written. A file that is none, or is
//! refused, is left out with an error in the log, and `/readyz` counts it: one bad file does not take the others' service away.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::adapters::text_file;
use crate::api::service::Writes;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::app::error::ServiceError;
use crate::auth::all_roles;
use crate::bootstrap::BootFault;
use crate::bootstrap::said;
use schema::act::Method;
use schema::json_text;

/// How often it is looked whether something may be written, while files wait for it.
const LOOK: Duration = Duration::from_secs(1);

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    pub path: PathBuf,
    pub schema_id: String,
    pub document: String,
}

/// Who calls where the service itself publishes: everyone in one.
pub fn service_caller() -> Caller {
    Caller {
        client: None,
        roles: all_roles(),
        speaks_as: None,
        origin: Origin {
            method: Method::System,
            ..Origin::default()
        },
    }
}

/// Reads `*.json` of a folder, sorted by name; the empty name means no folder. Counts the files that are left out.
///
/// # Errors
/// Names the folder that cannot be read.
pub fn read(folder: &str) -> Result<(Vec<SchemaFile>, usize), BootFault> {
    if folder.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let unreadable = |error: std::io::Error| {
        BootFault::Asked(format!(
            "the schemas folder {folder} cannot be read: {error}; name another one with --schemas, or --schemas '' for none"
        ))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(folder)).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    let found = files.len();
    let read = files.into_iter().map(read_one);
    let read: Vec<SchemaFile> = read.filter_map(|file| file.inspect_err(leave_out).ok()).collect();
    let left_out = found - read.len();
    Ok((read, left_out))
}

fn leave_out(fault: &BootFault) {
    tracing::error!("Schema file left out: {fault}");
}

fn read_one(path: PathBuf) -> Result<SchemaFile, BootFault> {
    let bad = |what: String| BootFault::Asked(format!("{} is not published: {what}", path.display()));
    let document = text_file::read(&path).map_err(bad)?;
    let value = json_text::read(&document).map_err(|why| bad(format!("it is not JSON: {why}")))?;
    let schema_id = value
        .get("schema_id")
        .and_then(Value::as_str)
        .ok_or_else(|| bad("it has no schema_id (Z-029)".to_owned()))?
        .to_owned();
    Ok(SchemaFile {
        path,
        schema_id,
        document,
    })
}

/// Publishes every file; what was published before is accepted again, and what is refused is left out. Gives back those that nothing may
/// be written of now.
///
/// # Errors
/// A fault of the service itself.
pub async fn publish(service: &App, files: Vec<SchemaFile>) -> Result<Vec<SchemaFile>, BootFault> {
    let mut waiting = Vec::new();
    for file in files {
        let published = match published(service, &file).await {
            Err(fault @ BootFault::Asked(_)) => {
                leave_out(&fault);
                service.leave_out_schemas(1);
                true
            }
            published => published?,
        };
        if !published {
            tracing::warn!(
                schema_id = %file.schema_id,
                file = %file.path.display(),
                "nothing may be written: it is published as soon as something may be"
            );
            waiting.push(file);
        }
    }
    Ok(waiting)
}

/// Publishes what waited, once something may be written; ends when nothing waits any more. What is refused then is named in
/// the log: the service runs already.
pub async fn publish_later(service: App, mut waiting: Vec<SchemaFile>) {
    while !waiting.is_empty() {
        tokio::time::sleep(LOOK).await;
        if service.writing() != Writes::Open {
            continue;
        }
        let mut still = Vec::new();
        for file in waiting {
            match published(&service, &file).await {
                Ok(true) => {}
                Ok(false) => still.push(file),
                Err(fault) => {
                    leave_out(&fault);
                    service.leave_out_schemas(1);
                }
            }
        }
        waiting = still;
    }
}

/// Publishes a file; false where nothing may be written.
async fn published(service: &App, file: &SchemaFile) -> Result<bool, BootFault> {
    match service
        .publish(&service_caller(), &file.schema_id, &file.document, false)
        .await
    {
        Ok(_) => Ok(true),
        Err(ServiceError::InvalidTemplate(defects)) => {
            let all: Vec<String> = defects
                .iter()
                .map(|defect| format!("{} {} ({})", defect.pointer, defect.message, defect.requirement))
                .collect();
            Err(BootFault::Asked(refused(file, &all.join("; "))))
        }
        // A schema that its publisher retired stays retired.
        Err(ServiceError::SchemaRetired(_)) => {
            tracing::warn!(schema_id = %file.schema_id, file = %file.path.display(), "retired, not published again");
            Ok(true)
        }
        // The first one stands: which of the two is meant is not for the service to say.
        Err(fault @ ServiceError::VersionTaken { .. }) => {
            tracing::error!(schema_id = %file.schema_id, file = %file.path.display(), "Schema file is left out: {fault}.");
            Ok(true)
        }
        // What was agreed on stands: new content is published under an id of its own.
        Err(ServiceError::SchemaImmutable(_)) => {
            tracing::warn!(
                schema_id = %file.schema_id,
                file = %file.path.display(),
                "published before with other content, which stays: give the file's content a schema_id of its own"
            );
            Ok(true)
        }
        Err(ServiceError::ReadOnly | ServiceError::DiskFull) => Ok(false),
        Err(fault @ (ServiceError::Fault(_) | ServiceError::Busy { .. } | ServiceError::ShuttingDown)) => {
            Err(BootFault::Broke(refused(file, &said(&fault))))
        }
        Err(other) => Err(BootFault::Asked(refused(file, &said(&other)))),
    }
}

fn refused(file: &SchemaFile, why: &str) -> String {
    format!("{} is not published: {why}", file.path.display())
}

#[cfg(test)]
mod tests {
    use super::read;
    use super::read_one;

    #[test]
    fn books_are_read_in_order_of_their_names_z029() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("b.json"), r#"{"schema_id":"b_v1"}"#).expect("written");
        std::fs::write(folder.path().join("a.json"), r#"{"schema_id":"a_v1"}"#).expect("written");
        std::fs::write(folder.path().join("notes.txt"), "no schema").expect("written");
        let name = folder.path().to_str().expect("a name");
        std::fs::write(folder.path().join("aa.json"), "{").expect("written");
        let (files, left_out) = read(name).expect("files");
        let ids: Vec<String> = files.into_iter().map(|file| file.schema_id).collect();
        assert_eq!((ids, left_out), (vec!["a_v1".to_owned(), "b_v1".to_owned()], 1));
        assert_eq!(read(""), Ok((Vec::new(), 0)));
    }

    #[test]
    fn a_bad_file_or_folder_is_named_z029() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, what) in [("{", "not JSON"), ("{}", "no schema_id")] {
            let path = folder.path().join("x.json");
            std::fs::write(&path, text).expect("written");
            let said = read_one(path).expect_err("a bad file").to_string();
            assert!(said.contains("x.json") && said.contains(what), "{said}");
        }
        assert!(
            read("/no/such/folder")
                .expect_err("no folder")
                .to_string()
                .contains("/no/such/folder")
        );
    }
}
