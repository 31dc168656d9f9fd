//! How others are told of changes: the stream, and webhooks.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::telling::Deleted;
use crate::edge::http::openapi::shapes::telling::Registered;
use crate::edge::http::openapi::shapes::telling::Registration;
use crate::edge::http::openapi::shapes::telling::Tried;
use crate::edge::http::openapi::shapes::telling::Webhook;
use crate::edge::http::openapi::shapes::telling::Webhooks;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Telling";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    let on_webhook = |method, path, id, summary| {
        of(method, path, id, summary)
            .takes(parameters::webhook_id())
            .fails(&[Code::UnknownWebhook])
    };
    vec![
        of(
            "GET",
            "/scenarios/{scenario}/updates/stream",
            "stream_updates",
            "What changes, as it changes",
        )
        .says(
            "Server-Sent Events: `update` brings what `updates` answers, with its revision as `id`; `bye` says that the service \
             ends. After a break, `Last-Event-ID` goes on where it was.",
        )
        .takes(parameters::scenario())
        .takes(parameters::since())
        .takes(parameters::last_event_id())
        .said(200, "The stream; it does not end by itself.", Form::Text("text/event-stream"))
        .fails(&[
            Code::UnknownScenario,
            Code::BadParameter,
            Code::LimitReached,
            Code::Busy,
            Code::ShuttingDown,
        ]),
        of("POST", "/webhooks", "register_webhook", "Have another system told")
            .says("CloudEvents 1.0, signed as Standard Webhooks says. The secret is shown this once.")
            .body::<Registration>()
            .answers::<Registered>(201, "The webhook, with its secret.")
            .fails(&[Code::LimitReached])
            .writes(),
        of("GET", "/webhooks", "list_webhooks", "Who is told").answers::<Webhooks>(200, "All, by id."),
        on_webhook("GET", "/webhooks/{webhook_id}", "read_webhook", "One webhook")
            .answers::<Webhook>(200, "How it fares."),
        on_webhook("DELETE", "/webhooks/{webhook_id}", "delete_webhook", "Tell it nothing more")
            .answers::<Deleted>(200, "It is gone.")
            .writes(),
        on_webhook("POST", "/webhooks/{webhook_id}:test", "test_webhook", "Try a webhook once")
            .says("One call, now; where it is taken, a webhook that was paused goes on.")
            .answers::<Tried>(200, "What became of the call."),
    ]
}
