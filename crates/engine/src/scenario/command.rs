//! What the world asks of a scenario, and why it may be refused.

use std::collections::BTreeMap;

use crate::evolution::audit::Verdict;
use crate::evolution::backtest::Backtest;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::review::answer::Answer;
use crate::pool::analysis::NoDemand;
use crate::pool::assignment::Embedded;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::pool::proposal::Proposal;
use crate::pool::reclustering::Reclustering;
use crate::pool::reembed::Anew;
use crate::pool::source::Source;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::event::Via;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Submitted;
use schema::act::By;
use schema::defect::Defect;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;

/// What became of one fragment before it reached the pool.
#[derive(Clone, Debug, PartialEq)]
pub enum Digested {
    NoDemand(NoDemand),
    Covered(KeyName),
    Embedded(Box<Embedded>),
    /// The model failed on it.
    Failed,
}

/// One submission, digested.
#[derive(Clone, Debug, PartialEq)]
pub struct Digestion {
    /// Its journal sequence.
    pub of: u64,
    pub fragments: Vec<Digested>,
    pub judgements: Vec<Judgement>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Induced {
    pub proposal: Proposal,
    /// What the history foretells for the key that will come of it.
    pub backtest: Option<Box<Backtest>>,
    /// Newest revision of a template that any caller was served, those included that leave no receipt.
    pub served: u64,
}

/// What a person says of a value that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// The submission, and the key's patch.
    pub of: u64,
    pub patch_id: PatchId,
    pub verdict: Verdict,
    pub by: String,
    /// As [`because`](crate::evolution::operator_action::because) leaves it.
    pub because: Option<String>,
}

/// A wish, or the result of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Submit(Submitted),
    Receive {
        client: ClientId,
        /// The base over which patches were shown; `None` for the one in force.
        schema_id: Option<SchemaId>,
        via: Via,
    },
    Publish {
        template: Box<SchemaTemplate>,
        /// True if its owner accepts what is neither proved nor shown to keep the line's promise.
        unproved: bool,
    },
    Retire(SchemaId),
    Restore(SchemaId),
    /// Records that a candidate is held against stored submissions.
    Check(SchemaId),
    Deprecate {
        schema_id: SchemaId,
        sunset: Option<At>,
        /// As [`because`](crate::evolution::operator_action::because) leaves it.
        reason: Option<String>,
    },
    /// The fragments of submissions, oldest first, were read and embedded and their patch values judged: recorded together.
    Digest {
        model: String,
        digestions: Vec<Digestion>,
    },
    /// What waited in the journal alone was read back, from `after` on.
    Recall {
        source: Option<Source>,
        after: u64,
        through: u64,
        submissions: BTreeMap<u64, Pending>,
        erased: u64,
    },
    /// The pool was reclustered.
    Regroup(Reclustering),
    /// Micro-clusters were embedded anew.
    Reembed {
        model: String,
        micros: Vec<Anew>,
    },
    /// A model judged a value after the submission was digested.
    Judge(Judged),
    /// A person looked at a value.
    Audit(Opinion),
    /// A reader answered.
    Review {
        answer: Box<Answer>,
        by: String,
        digest: Option<String>,
        tokens: Option<u64>,
    },
    /// A reader was asked in vain.
    ReviewFailed {
        why: String,
    },
    /// Induction of a triggered cluster ended.
    Induce {
        cluster: ClusterId,
        audience: Audience,
        outcome: Result<Box<Induced>, Abstention>,
    },
    /// Do what is due.
    Tick,
    Operate {
        patch_id: PatchId,
        order: OperatorRequest,
    },
    /// The sealed parts of the records up to there were erased.
    Erased {
        through: u64,
    },
    /// Stop evolution of this scenario.
    Freeze {
        by: By,
        reason: Option<String>,
    },
    /// Let it go on.
    Thaw {
        by: By,
        reason: Option<String>,
    },
    /// Propose nothing of a cluster for so many days.
    Dismiss {
        cluster: ClusterId,
        days: i64,
        by: By,
        reason: Option<String>,
    },
}

/// The rules say no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("there is no schema {0}")]
    UnknownSchema(SchemaId),
    #[error("schema {0} is retired")]
    SchemaRetired(SchemaId),
    #[error("schema {0} exists with other content")]
    SchemaImmutable(SchemaId),
    #[error("there is no patch {0}")]
    UnknownPatch(PatchId),
    #[error("a patch that is {from} cannot be {to}")]
    StageForbids { from: &'static str, to: &'static str },
    /// A rebase, or a publisher, took the key into the base.
    #[error("the base {schema_id} has the key {key} itself and speaks for it; publish a version without it")]
    KeyInBase { key: KeyName, schema_id: SchemaId },
    /// What a person made of a key is no key.
    #[error("the key as edited cannot be served")]
    Unfit(Vec<Defect>),
    /// Two keys of one name meet in a template.
    #[error("the name {0} is taken: another key bears it, or is on its way to")]
    NameTaken(KeyName),
    /// It has changed since the person looked.
    #[error("the patch has changed since: it is at revision {revision} now")]
    PatchMoved { revision: u64 },
    /// What refines a key rests on it.
    #[error("it refines the key {0}, which is not in life; restore that first")]
    KeyGone(KeyName),
    /// The effect's result came for something that is done already; nothing is applied twice.
    #[error("this was done before")]
    Done,
    /// Vectors of another model (Z-103).
    #[error("the pool holds vectors of {held}, these are of {came}")]
    OtherModel { held: String, came: String },
    #[error("there is no cluster {}", .0.0)]
    UnknownCluster(ClusterId),
    #[error("no such value waits for a person")]
    UnknownAudit,
    /// The first verdict stands.
    #[error("{by} looked at this value at {}", .at.rfc3339())]
    Audited { by: String, at: At },
    #[error("no trial may begin now: the convergence guard is full")]
    GuardFull,
}
