//! Who administered something, in the log: each part of it a field of its own, so that a log can be searched by it.
//!
//! Owns the names of those fields. Invariant: what is not known has no field.

/// A line of the log at a level, by somebody if anybody is known, and what else it says.
macro_rules! administered {
    ($level:ident, $by:expr, $($said:tt)+) => {{
        let by: Option<&schema::act::By> = $by;
        tracing::$level!(
            principal = by.map(schema::act::By::as_str),
            method = by.and_then(|by| by.method).map(schema::act::Method::name),
            key = by.and_then(|by| by.key.as_deref()),
            request_id = by.and_then(|by| by.request_id.as_deref()),
            $($said)+
        )
    }};
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::Mutex;
    use std::sync::PoisonError;

    use serde_json::Value;
    use serde_json::json;

    use schema::act::By;
    use schema::act::Method;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn who_administered_something_is_four_fields_of_the_log_z169() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt().json().flatten_event(true).without_time();
        let log = log.with_target(false).with_writer(move || writer.clone()).finish();
        let olga = By {
            method: Some(Method::ApiKey),
            key: Some("1f2e3d4c".to_owned()),
            request_id: Some("abc-1".to_owned()),
            ..By::from("olga")
        };
        tracing::subscriber::with_default(log, || {
            administered!(info, Some(&olga), scenario = "ferry", "frozen");
            administered!(warn, Some(&By::from("olga")), "read-only");
            administered!(info, None, schema_id = "ferry_v1", "retired");
        });
        let bytes = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8(bytes).expect("a text");
        let said: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(
            said,
            [
                json!({"level": "INFO", "principal": "olga", "method": "api_key", "key": "1f2e3d4c", "request_id": "abc-1",
                    "scenario": "ferry", "message": "frozen"}),
                json!({"level": "WARN", "principal": "olga", "message": "read-only"}),
                json!({"level": "INFO", "schema_id": "ferry_v1", "message": "retired"}),
            ]
        );
    }
}
