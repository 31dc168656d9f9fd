//! Successes that no test can ask for, written by hand: of streams that end with their reader, of bytes, and of pages.
//!
//! Looks at no request. Invariant: an operation of which the service gave an answer is not among them.

/// How a success begins.
pub struct Written {
    pub operation: &'static str,
    pub summary: &'static str,
    pub media: &'static str,
    pub text: &'static str,
}

const EVENTS: &str = "text/event-stream";

const fn events(operation: &'static str, summary: &'static str, text: &'static str) -> Written {
    Written {
        operation,
        summary,
        media: EVENTS,
        text,
    }
}

static ALL: [Written; 10] = [
    events(
        "stream_updates",
        "A key was taken back",
        "id: 47\nevent: update\ndata: {\"revision\":47,\"schema_id\":\"flight_booking_v1\",\"patches\":[],\
         \"withdrawn_keys\":[\"window_seat\"]}\n\n",
    ),
    events(
        "follow_session",
        "A key was written",
        "id: 2\nevent: written\ndata: {\"key\":\"problem_summary\",\"version\":1,\"written_by\":\"orchestrator\",\
         \"written_at\":\"2026-05-01T08:24:00Z\",\"value_size_tokens\":6}\n\n",
    ),
    events(
        "stream_services",
        "What an agent offers",
        "id: 1\nevent: services\ndata: {\"agent\":\"fetcher\",\"version\":1,\"changed_at\":\"2026-05-01T08:24:00Z\",\
         \"mcpContext\":{\"mcpServiceList\":[{\"serviceName\":\"DataFetcher\",\"version\":\"1.0.0\"}]}}\n\n",
    ),
    events(
        "follow_tasks",
        "A subtask was sent to the agent",
        "event: sent\ndata: {\"TaskID\":\"work_3baa97d8c0e0ec5ed66976bf3091cac0\",\"SubTaskID\":\"hotel\",\"state\":\"sent\",\
         \"changed_at\":\"2026-05-01T08:24:00Z\"}\n\n",
    ),
    events(
        "listen_mcp",
        "A template has changed for the caller",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\
         \"params\":{\"uri\":\"otherwise://scenarios/flight_booking/template\"}}\n\n",
    ),
    events(
        "call_mcp",
        "The answer to a ping",
        "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
    ),
    events("follow_task", "It was canceled", CANCELED),
    events("follow_task_by_post", "It was canceled", CANCELED),
    Written {
        operation: "read_backup",
        summary: "How it begins; then come parts, each with its kind and its length",
        media: "application/octet-stream",
        text: "otherwise backup 1\n",
    },
    Written {
        operation: "read_docs_file",
        summary: "How the page begins",
        media: "text/html",
        text: "<!doctype html>\n",
    },
];

const CANCELED: &str = "data: {\"statusUpdate\":{\"taskId\":\"task_8f3a6b5c4d2e4f1a9b0c7d6e5f4a3b2c\",\
    \"contextId\":\"ctx_4e6f8a0b2c1d4e3f9a5b7c6d8e0f1a2b\",\"status\":{\"state\":\"TASK_STATE_CANCELED\",\
    \"timestamp\":\"2026-05-01T08:00:00.000Z\"}}}\n\n";

/// What is written of an operation in a form.
pub fn of(operation: &str, media: &str) -> Option<&'static Written> {
    ALL.iter()
        .find(|written| written.operation == operation && written.media == media)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::ALL;
    use super::EVENTS;

    #[test]
    fn every_line_of_data_is_json_and_every_event_ends() {
        for written in ALL.iter().filter(|written| written.media == EVENTS) {
            assert!(written.text.ends_with("\n\n"), "{}", written.operation);
            let data: Vec<&str> = written
                .text
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .collect();
            assert!(!data.is_empty(), "{}", written.operation);
            for line in data {
                serde_json::from_str::<Value>(line).expect("JSON");
            }
        }
    }
}
