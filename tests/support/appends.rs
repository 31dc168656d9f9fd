//! Appending to a journal and waiting for the answer.

use otherwise::service::ports::Appended;
use otherwise::service::ports::Draft;
use otherwise::service::ports::Journal;
use otherwise::service::ports::JournalFault;
use otherwise::service::ports::JournalName;
use otherwise::service::ports::Kind;
use schema::time::At;

pub fn name(text: &str) -> JournalName {
    JournalName(text.to_owned())
}

pub fn fact(at: i64, open: &str) -> Draft {
    Draft {
        kind: Kind::Fact,
        at: At(at),
        open: open.as_bytes().to_vec(),
        sealed: Vec::new(),
    }
}

pub fn decision(at: i64, open: &str) -> Draft {
    Draft {
        kind: Kind::Decision,
        ..fact(at, open)
    }
}

/// Appends and waits; both kinds of refusal come out alike.
pub fn append(
    journal: &dyn Journal,
    name: &JournalName,
    drafts: Vec<Draft>,
    decided: Option<u64>,
) -> Result<Appended, JournalFault> {
    journal
        .append(name, drafts, decided)?
        .blocking_recv()
        .expect("an answer")
}
