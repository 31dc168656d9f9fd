//! What clients of a random history say, and which key is made of it.

use engine::evolution::induction::Abstention;
use engine::pool::analysis::Analysis;
use engine::pool::analysis::NoDemand;
use engine::pool::assignment::Embedded;
use engine::pool::proposal::Proposal;
use engine::pool::rationale::Rationale;
use engine::scenario::command::Digested;
use engine::scenario::command::Induced;
use schema::key::KeyDefinition;
use serde_json::json;
use text::vector::Vector;

use super::History;
use super::KEY_NAMES;
use super::THEMES;

impl History {
    pub(super) fn fragment(&mut self) -> Digested {
        match self.random.below(12) {
            0 => Digested::NoDemand(NoDemand::Thanks),
            1 => Digested::Failed,
            _ => {
                let theme = usize::try_from(self.random.below(THEMES as u64)).unwrap_or(0);
                let mut values = [0.05_f32; 8];
                values[theme] = 1.0;
                values[7] = f32::from(u8::try_from(self.random.below(40)).unwrap_or(0)) / 100.0;
                let vector = Vector::quantise(&values).expect("a vector");
                Digested::Embedded(Box::new(Embedded {
                    reading: Analysis::default(),
                    vector,
                    covered_by: None,
                }))
            }
        }
    }

    pub(super) fn induced(&mut self) -> Result<Box<Induced>, Abstention> {
        if self.random.one_in(6) {
            return Err(Abstention::NoContent);
        }
        let name = KEY_NAMES[usize::try_from(self.random.below(KEY_NAMES.len() as u64)).unwrap_or(0)];
        let key: KeyDefinition = serde_json::from_value(json!({
            "key_name": name, "key_type": "string", "required": false,
            "semantic_description": format!("What is wanted as {name}. Examples: 'a' -> a."),
        }))
        .expect("a key");
        let sensitive = (name == "payment_card").then(|| "payment".to_owned());
        let proposal = Proposal {
            read: None,
            key,
            surfaces: vec!["a".to_owned()],
            examples: Vec::new(),
            sensitive,
            grounds: Rationale::default(),
            holds: Vec::new(),
            about: String::new(),
            shown: Vec::new(),
        };
        Ok(Box::new(Induced {
            proposal,
            backtest: None,
            served: 0,
        }))
    }
}
