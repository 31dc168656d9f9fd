//! Watches: told at once, woken, never woken in vain; and never behind by more than one piece of news.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::sync::watch;

use super::News;
use super::Until;
use super::Watch;
use crate::app::error::ServiceError;
use crate::app::handle::Request;
use crate::app::handle::ScenarioHandle;
use crate::app::scene::Scene;
use crate::app::scene::candidate;
use crate::app::scene::client;
use crate::app::scene::schema_id;
use crate::app::scene::template;
use crate::app::view::ScenarioView;
use engine::evolution::operator_action::OperatorAction;
use engine::pool::gate::Audience;
use engine::scenario::command::Command;
use schema::exchange::other::OtherLimits;
use schema::name::ScenarioKey;
use schema::time::At;
use store::journal::JournalName;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 16,
    bytes_max: 4_096,
};

/// A scenario without an actor, whose view is replaced by hand.
struct Stage {
    scene: Scene,
    handle: Arc<ScenarioHandle>,
    requests: mpsc::Receiver<Request>,
}

impl Stage {
    fn new() -> Stage {
        let scene = Scene::new();
        let (sender, requests) = mpsc::channel(8);
        let handle = ScenarioHandle::new(
            ScenarioKey::parse("flight").expect("a scenario"),
            JournalName("scenario/default/flight".to_owned()),
            scene.state.clone(),
            ScenarioView::build(&scene.state, &scene.policy, LIMITS),
            sender,
            watch::Sender::new(0),
            watch::Sender::new(0),
        );
        Stage {
            scene,
            handle: Arc::new(handle),
            requests,
        }
    }

    /// What happened in the scene is applied and shown.
    fn show(&self) {
        *self.handle.state() = self.scene.state.clone();
        self.handle
            .show(ScenarioView::build(&self.scene.state, &self.scene.policy, LIMITS));
        self.handle.applied(self.scene.state.seq);
    }

    fn watch(&self, name: &str, since: u64) -> Result<Watch, ServiceError> {
        Watch::from(Arc::clone(&self.handle), Some(client(name)), since)
    }
}

async fn next(watch: &mut Watch) -> Option<News> {
    let waited = tokio::time::timeout(Duration::from_millis(30), watch.next()).await;
    waited.ok().flatten()
}

fn patches(news: &News) -> usize {
    let body: Value = serde_json::from_str(&news.body).expect("JSON");
    body["patches"].as_array().expect("patches").len()
}

#[tokio::test]
async fn what_was_missed_is_told_at_once_and_then_what_comes_each_once_z121() {
    let mut stage = Stage::new();
    let base = stage.scene.state.seq;
    let mut watch = stage.watch("ben", 0).expect("a watch");
    let first = next(&mut watch).await.expect("the base");
    assert_eq!((first.revision, patches(&first)), (base, 0));
    assert_eq!(next(&mut watch).await, None, "nothing twice");
    stage.scene.propose("seat_preference");
    stage.show();
    let second = next(&mut watch).await.expect("the patch");
    assert_eq!(patches(&second), 1);
    assert_eq!(next(&mut watch).await, None);
    let mut again = stage.watch("ben", first.revision).expect("a watch");
    assert_eq!(next(&mut again).await, Some(second.clone()), "missed and told");
    let mut current = stage.watch("ben", second.revision).expect("a watch");
    assert_eq!(next(&mut current).await, None, "nothing was missed");
}

#[tokio::test]
async fn whatever_happens_while_nobody_reads_is_one_piece_of_news() {
    let mut stage = Stage::new();
    let mut watch = stage.watch("ben", stage.scene.state.seq).expect("a watch");
    let seat = stage.scene.propose("seat_preference");
    stage.show();
    for hand in [
        OperatorAction::Promote,
        OperatorAction::Deprecate,
        OperatorAction::Withdraw,
        OperatorAction::Restore,
    ] {
        stage.scene.operate(&seat, hand).expect("allowed");
        stage.show();
    }
    let news = next(&mut watch).await.expect("news");
    assert_eq!((news.revision, patches(&news)), (stage.scene.patch(&seat).revision, 1));
    assert_eq!(next(&mut watch).await, None);
}

#[tokio::test]
async fn one_clients_patch_wakes_nobody_else_z122_z123() {
    let mut stage = Stage::new();
    let since = stage.scene.state.seq;
    let (mut ana, mut ben) = (
        stage.watch("ana", since).expect("a watch"),
        stage.watch("ben", since).expect("a watch"),
    );
    stage
        .scene
        .propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    stage.show();
    assert_eq!(next(&mut ben).await, None);
    assert_eq!(next(&mut ana).await.map(|news| patches(&news)), Some(1));
}

#[tokio::test]
async fn a_base_that_steps_back_is_told_and_its_lower_revision_loses_nothing() {
    let mut stage = Stage::new();
    let first = stage.scene.state.seq;
    stage.scene.publish(template("flight_v2", "1.1.0", &[]));
    stage.show();
    let second = stage.scene.state.seq;
    let mut watch = stage.watch("ben", second).expect("a watch");
    stage.scene.happens(Command::Retire(schema_id("flight_v2")));
    stage.show();
    let news = next(&mut watch).await.expect("news");
    assert_eq!(news.revision, first);
    assert!(news.body.contains("flight_v1"), "{}", news.body);
    let mut back = stage.watch("ben", second).expect("a watch");
    assert_eq!(
        next(&mut back).await.map(|news| news.revision),
        Some(first),
        "told who was away"
    );
    stage.scene.propose("seat_preference");
    stage.show();
    let mut on = stage.watch("ben", first).expect("a watch");
    assert_eq!(next(&mut on).await.map(|news| patches(&news)), Some(1));
}

#[tokio::test]
async fn a_revision_is_refused_from_the_first_that_is_not_there_yet() {
    let stage = Stage::new();
    let seq = stage.scene.state.seq;
    assert!(stage.watch("ben", seq).is_ok());
    assert!(matches!(
        stage.watch("ben", seq + 1),
        Err(ServiceError::BadParameter(_))
    ));
    assert!(matches!(
        stage.watch("ben", u64::MAX),
        Err(ServiceError::BadParameter(_))
    ));
}

#[tokio::test]
async fn a_receipt_is_asked_for_when_there_is_something_new_to_have_seen_z139() {
    let mut stage = Stage::new();
    let watch = stage.watch("ben", 0).expect("a watch");
    watch.received();
    assert!(stage.requests.try_recv().is_err(), "no patch was there to see");
    stage.scene.propose("seat_preference");
    stage.show();
    watch.received();
    assert!(matches!(stage.requests.try_recv(), Ok(Request::Receive(..))));
}

#[test]
fn as_of_is_a_revision_or_a_moment_z105() {
    assert_eq!(Until::parse("17"), Some(Until::Revision(17)));
    assert_eq!(Until::parse("1970-01-01T00:00:02Z"), Some(Until::Second(At(2_000))));
    assert_eq!(
        Until::parse("1970-01-01T01:00:02+01:00"),
        Some(Until::Second(At(2_000)))
    );
    assert_eq!(Until::parse("1970-01-01T00:00:02.000Z"), Some(Until::Moment(At(2_000))));
    for wrong in ["", "-1", "yesterday", "1970-01-01", "99999999999999999999999"] {
        assert_eq!(Until::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_moment_and_a_revision_include_themselves_z105() {
    assert!(Until::Moment(At(5)).includes(9, At(5)) && !Until::Moment(At(5)).includes(9, At(6)));
    let second = Until::Second(At(2_000));
    assert!(second.includes(9, At(2_999)) && !second.includes(9, At(3_000)));
    assert!(Until::Revision(5).includes(5, At(9)) && !Until::Revision(5).includes(6, At(0)));
}
