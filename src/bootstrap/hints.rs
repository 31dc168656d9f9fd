//! What to try next: lines for a shell that work with what is hosted.

use std::net::SocketAddr;

use crate::app::application::App;
use crate::bootstrap::schema_folder;
use crate::wire::percent;
use context::a2a_task::typed_part;

/// Two `curl` lines: what is hosted, and the template of the first scenario; or how one is published.
pub fn lines(address: SocketAddr, open: bool, service: &App) -> [String; 2] {
    let key = if open { "" } else { " -H 'Authorization: Bearer KEY'" };
    // Where keys are required, a key says who calls, and nobody names himself.
    let name = if open { " -H 'Otherwise-Client: me'" } else { "" };
    let base = format!("http://{address}/v1");
    let hosted = service
        .scenarios(&schema_folder::service_caller(), None)
        .unwrap_or_default();
    let mut named = hosted.scenarios.iter().filter(|row| {
        // Templates for the parts of messages are nothing to begin with.
        let labels = row.labels.as_ref();
        labels.and_then(|labels| labels.get(typed_part::LABEL)).is_none()
    });
    let next = match named.next() {
        Some(row) => {
            let scenario = percent::segment(row.scenario.as_str());
            format!("curl -s{key}{name} {base}/scenarios/{scenario}/template")
        }
        None => format!(
            "curl -s{key} -X PUT -H 'Content-Type: application/json' --data @schema.json {base}/schemas/my_schema_v1"
        ),
    };
    [format!("curl -s{key} {base}/scenarios"), next]
}
