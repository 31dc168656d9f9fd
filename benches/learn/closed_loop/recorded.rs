//! A reader whose answers were recorded on another run over the same stream: it says of a text what it said of it last.
//!
//! By texts and not by ids, since clients who fill a key leave less in `other`, and since the stream comes again.

use std::collections::BTreeMap;
use std::path::Path;

use engine::evolution::review::answer::Answer;
use engine::evolution::review::answer::Kept;
use engine::evolution::review::answer::Told;
use engine::evolution::review::material::Material;
use otherwise::app::pool_review::Reader;
use serde_json::Value;
use store::journal::Promise;

/// What a text was read as.
#[derive(Clone, Debug)]
enum ReadAs {
    /// A wish or a key, by its name, and whether the text wants the opposite.
    Named(String, bool),
    Nothing,
}

/// All answers of a folder, `n.material.json` with `n.answer.json` each, as `otherwise replay --reader record:DIR` writes them.
#[derive(Debug, Default)]
pub struct Recorded {
    texts: BTreeMap<String, ReadAs>,
    wishes: BTreeMap<String, Told>,
}

impl Recorded {
    /// Reads a folder; `None` where it holds no answer.
    pub fn open(folder: &Path) -> Option<Recorded> {
        let mut recorded = Recorded::default();
        let file = |number: usize, what: &str| std::fs::read(folder.join(format!("{number}.{what}.json"))).ok();
        for number in 1.. {
            let (Some(material), Some(answer)) = (file(number, "material"), file(number, "answer")) else {
                break;
            };
            recorded.take(
                &serde_json::from_slice(&material).ok()?,
                serde_json::from_slice(&answer).ok()?,
            );
        }
        (!recorded.texts.is_empty()).then_some(recorded)
    }

    fn take(&mut self, material: &Value, answer: Answer) {
        let fragments = material["fragments"].as_array().into_iter().flatten();
        let said: BTreeMap<&str, &str> = fragments
            .filter_map(|fragment| Some((fragment["id"].as_str()?, fragment["text"].as_str()?)))
            .collect();
        let mut note = |id: &str, read_as: ReadAs| {
            if let Some(text) = said.get(id) {
                self.texts.insert(plain(text), read_as);
            }
        };
        for wish in &answer.wishes {
            for id in &wish.ids {
                note(id, ReadAs::Named(wish.name.clone(), wish.denied.contains(id)));
            }
        }
        for kept in &answer.held {
            for id in &kept.ids {
                note(id, ReadAs::Named(kept.key.clone(), false));
            }
        }
        for id in &answer.nothing {
            note(id, ReadAs::Nothing);
        }
        for wish in answer.wishes {
            for read_as in self.texts.values_mut() {
                match read_as {
                    ReadAs::Named(name, _) if Some(&*name) == wish.was.as_ref() => *name = wish.name.clone(),
                    ReadAs::Named(..) | ReadAs::Nothing => {}
                }
            }
            self.wishes.insert(wish.name.clone(), wish);
        }
    }

    fn answer(&self, material: &Material) -> Answer {
        let mut wishes: BTreeMap<&str, Told> = BTreeMap::new();
        let mut held: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut nothing = Vec::new();
        for fragment in &material.fragments {
            let id = fragment.id.clone();
            match self.texts.get(&plain(&fragment.text)) {
                Some(ReadAs::Named(name, denied)) => match self.wishes.get(name) {
                    Some(wish) => {
                        let told = wishes.entry(name).or_insert_with(|| Told {
                            ids: Vec::new(),
                            denied: Vec::new(),
                            ..wish.clone()
                        });
                        told.denied.extend(denied.then(|| id.clone()));
                        told.ids.push(id);
                    }
                    None => held.entry(name).or_default().push(id),
                },
                Some(ReadAs::Nothing) => nothing.push(id),
                None => {}
            }
        }
        let held = held.into_iter();
        Answer {
            wishes: wishes.into_values().collect(),
            held: held
                .map(|(key, ids)| Kept {
                    key: key.to_owned(),
                    ids,
                })
                .collect(),
            nothing,
        }
    }
}

/// A text without what differs where only a part of a line is left.
fn plain(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

impl Reader for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn read<'a>(&'a self, material: &'a Material) -> Promise<'a, Result<Answer, String>> {
        Box::pin(async move { Ok(self.answer(material)) })
    }
}
