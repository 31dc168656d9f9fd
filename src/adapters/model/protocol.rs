//! OpenAI's chat completions, as far as they are spoken here: one question, one answer of a given form.
//!
//! Pure: bytes in, bytes out. Invariant: what cannot be read is named by a constant, never by what came.

use serde_json::Value;
use serde_json::json;

use crate::app::ports::ModelFault;
use schema::json_text;
use schema::question::Question;

/// The path after the address in the settings.
pub const PATH: &str = "/chat/completions";

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub answer: Result<Value, ModelFault>,
    /// Of question and answer together, where the server says.
    pub tokens: Option<u64>,
}

/// The body of a request.
pub fn request(model: &str, question: &Question, answer_tokens_max: u64) -> Vec<u8> {
    json!({
        "model": model,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": question.for_use.name(), "strict": true, "schema": question.schema},
        },
        "temperature": 0,
        "max_completion_tokens": answer_tokens_max,
    })
    .to_string()
    .into_bytes()
}

/// Reads the body of a response.
pub fn response(body: &[u8], schema: &Value) -> Completion {
    let document = std::str::from_utf8(body)
        .ok()
        .and_then(|body| json_text::read(body).ok());
    let Some(document) = document else {
        return Completion {
            answer: Err(ModelFault::Malformed("the response is not JSON")),
            tokens: None,
        };
    };
    Completion {
        answer: answer(&document, schema),
        tokens: tokens(&document),
    }
}

fn tokens(document: &Value) -> Option<u64> {
    let usage = document.get("usage")?;
    let of = |member: &str| usage.get(member).and_then(Value::as_u64);
    of("total_tokens").or_else(|| of("prompt_tokens")?.checked_add(of("completion_tokens")?))
}

fn answer(document: &Value, schema: &Value) -> Result<Value, ModelFault> {
    let message = document
        .pointer("/choices/0/message")
        .ok_or(ModelFault::Malformed("the response holds no choice"))?;
    if message.get("refusal").is_some_and(|refusal| !refusal.is_null()) {
        return Err(ModelFault::Refused);
    }
    let content = message
        .get("content")
        .and_then(Value::as_str)
        .ok_or(ModelFault::Malformed("the response holds no content"))?;
    let answer = json_text::read(content).map_err(|_| ModelFault::Malformed("the content is not JSON"))?;
    // A server may pass over `response_format`.
    let validator = jsonschema::validator_for(schema).map_err(|_| ModelFault::Malformed("its schema is none"))?;
    if validator.is_valid(&answer) {
        Ok(answer)
    } else {
        Err(ModelFault::Malformed("the content does not follow the schema"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::request;
    use super::response;
    use crate::app::ports::ModelFault;
    use schema::question;
    use schema::question::Question;
    use schema::question::Use;

    fn schema() -> Value {
        question::one_word("same", &["yes", "no"])
    }

    fn said(content: &Value) -> Value {
        json!({"choices": [{"message": {"role": "assistant", "content": content}}]})
    }

    #[test]
    fn a_question_asks_for_an_answer_of_its_form() {
        let asked = Question {
            for_use: Use::Judge,
            system: "s",
            user: "{}".to_owned(),
            schema: schema(),
        };
        let body: Value = serde_json::from_slice(&request("m", &asked, 64)).expect("JSON");
        let form = json!({"name": "judge", "strict": true, "schema": schema()});
        assert_eq!(
            body,
            json!({
                "model": "m",
                "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "{}"}],
                "response_format": {"type": "json_schema", "json_schema": form},
                "temperature": 0,
                "max_completion_tokens": 64,
            })
        );
    }

    #[test]
    fn an_answer_is_the_content_of_the_first_choice_and_what_is_none_is_named() {
        let read = |document: &Value| response(document.to_string().as_bytes(), &schema()).answer;
        let with_refusal = |content: Value, refusal: Value| {
            let mut document = said(&content);
            document["choices"][0]["message"]["refusal"] = refusal;
            document
        };
        let null = with_refusal(json!("{\"same\": \"no\"}"), Value::Null);
        assert_eq!(read(&null), Ok(json!({"same": "no"})));
        let refused = with_refusal(Value::Null, json!("I cannot help with that."));
        assert_eq!(read(&refused), Err(ModelFault::Refused));
        for wrong in [
            json!([]),
            json!({"choices": []}),
            json!({"error": "x"}),
            said(&Value::Null),
            said(&json!({"same": "yes"})),
            said(&json!("yes")),
            said(&json!("```json\n{\"same\": \"yes\"}\n```")),
            said(&json!("{\"same\": \"perhaps\"}")),
            said(&json!("{\"same\": \"yes\", \"more\": 1}")),
            said(&json!("{\"same\": \"ye")),
        ] {
            assert!(matches!(read(&wrong), Err(ModelFault::Malformed(_))), "{wrong}");
        }
        let broken = response(b"<html>", &schema());
        assert_eq!(broken.answer, Err(ModelFault::Malformed("the response is not JSON")));
    }

    #[test]
    fn tokens_are_counted_where_the_server_counts_them() {
        for (usage, expected) in [
            (
                json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 16}),
                Some(16),
            ),
            (json!({"prompt_tokens": 10, "completion_tokens": 5}), Some(15)),
            (json!(null), None),
            (json!({"prompt_tokens": 10}), None),
            (json!({"total_tokens": -1}), None),
        ] {
            let mut document = said(&json!("x"));
            document["usage"] = usage;
            let tokens = response(document.to_string().as_bytes(), &schema()).tokens;
            assert_eq!(tokens, expected, "{document}");
        }
    }
}
