//! Appending to a journal and waiting for the answer.

use schema::time::At;
use store::journal::Appended;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Kind;

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
