//! A reader of llama.cpp's grammars that tells whether a text is one of theirs, and writes texts by them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// Characters that stand for those a negated class leaves.
const SAMPLE: [char; 12] = ['a', 'Z', '0', '-', ' ', '\'', 'é', '漢', '😀', '/', '~', '{'];
/// Levels and characters after which a text is given up.
const DEPTH_MAX: usize = 200;
const LENGTH_MAX: usize = 20_000;

enum Expression {
    Literal(Vec<char>),
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    Rule(String),
    Sequence(Vec<Expression>),
    Either(Vec<Expression>),
    Repeat {
        of: Box<Expression>,
        least: u32,
        most: Option<u32>,
    },
}

pub struct Grammar {
    rules: BTreeMap<String, Expression>,
}

type Ends = BTreeMap<(usize, usize), BTreeSet<usize>>;

impl Grammar {
    /// Reads one rule a line; panics at what is no grammar, or names a rule that is not there.
    pub fn read(text: &str) -> Grammar {
        let mut rules = BTreeMap::new();
        for line in text.lines() {
            let (name, body) = line.split_once(" ::= ").expect("a rule");
            let mut reader = Reader {
                letters: body.chars().collect(),
                at: 0,
            };
            let read = reader.either();
            assert_eq!(reader.at, reader.letters.len(), "{line}");
            let right = name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            assert!(right && rules.insert(name.to_owned(), read).is_none(), "{name}");
        }
        let grammar = Grammar { rules };
        grammar.rules.values().for_each(|body| grammar.closed(body));
        assert!(grammar.rules.contains_key("root"));
        grammar
    }

    fn closed(&self, expression: &Expression) {
        match expression {
            Expression::Literal(_) | Expression::Class { .. } => {}
            Expression::Rule(name) => assert!(self.rules.contains_key(name), "{name}"),
            Expression::Sequence(parts) | Expression::Either(parts) => parts.iter().for_each(|part| self.closed(part)),
            Expression::Repeat { of, .. } => self.closed(of),
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().collect();
        let ends = self.ends(&self.rules["root"], 0, &letters, &mut BTreeMap::new());
        ends.contains(&letters.len())
    }

    fn ends(&self, expression: &Expression, at: usize, text: &[char], known: &mut Ends) -> BTreeSet<usize> {
        let key = (std::ptr::from_ref(expression) as usize, at);
        if let Some(ends) = known.get(&key) {
            return ends.clone();
        }
        let after = match expression {
            Expression::Literal(letters) => {
                let fits = text.get(at..).is_some_and(|rest| rest.starts_with(letters));
                fits.then_some(at + letters.len()).into_iter().collect()
            }
            Expression::Class { ranges, negated } => {
                let fits = text.get(at).is_some_and(|c| within(ranges, *c) != *negated);
                fits.then_some(at + 1).into_iter().collect()
            }
            Expression::Rule(name) => self.ends(&self.rules[name], at, text, known),
            Expression::Sequence(parts) => {
                let mut here = BTreeSet::from([at]);
                for part in parts {
                    here = here
                        .into_iter()
                        .flat_map(|at| self.ends(part, at, text, known))
                        .collect();
                }
                here
            }
            Expression::Either(ways) => ways.iter().flat_map(|way| self.ends(way, at, text, known)).collect(),
            Expression::Repeat { of, least, most } => {
                let mut here = BTreeSet::from([at]);
                let mut all = BTreeSet::new();
                let mut times = 0;
                loop {
                    if times >= *least && here.iter().all(|at| all.contains(at)) {
                        break;
                    }
                    if times >= *least {
                        all.extend(here.iter().copied());
                    }
                    if most.is_some_and(|most| times >= most) || here.is_empty() {
                        break;
                    }
                    here = here.into_iter().flat_map(|at| self.ends(of, at, text, known)).collect();
                    times += 1;
                }
                all
            }
        };
        known.insert(key, after.clone());
        after
    }

    /// A text of the grammar, by chance; `None` when it would be too long.
    pub fn sentence(&self, seed: u64) -> Option<String> {
        let mut text = String::new();
        let mut chance = seed | 1;
        self.write(&self.rules["root"], 0, &mut chance, &mut text)?;
        Some(text)
    }

    fn write(&self, expression: &Expression, depth: usize, chance: &mut u64, text: &mut String) -> Option<()> {
        if depth > DEPTH_MAX || text.len() > LENGTH_MAX {
            return None;
        }
        match expression {
            Expression::Literal(letters) => text.extend(letters),
            Expression::Class { ranges, negated: false } => {
                let (low, high) = ranges[draw(chance, ranges.len())];
                let width = u32::from(high) - u32::from(low) + 1;
                let c = char::from_u32(u32::from(low) + draw(chance, width as usize) as u32).unwrap_or(low);
                text.push(c);
            }
            Expression::Class { ranges, negated: true } => {
                let left: Vec<char> = SAMPLE.into_iter().filter(|c| !within(ranges, *c)).collect();
                text.push(left[draw(chance, left.len())]);
            }
            Expression::Rule(name) => self.write(&self.rules[name], depth + 1, chance, text)?,
            Expression::Sequence(parts) => {
                for part in parts {
                    self.write(part, depth + 1, chance, text)?;
                }
            }
            Expression::Either(ways) => {
                // Far down the first way is taken, which nests no deeper.
                let way = if depth > 30 { 0 } else { draw(chance, ways.len()) };
                self.write(&ways[way], depth + 1, chance, text)?;
            }
            Expression::Repeat { of, least, most } => {
                let more = if depth > 30 { 0 } else { draw(chance, 3) as u32 };
                let times = most.map_or(least + more, |most| most.min(least + more));
                for _ in 0..times {
                    self.write(of, depth + 1, chance, text)?;
                }
            }
        }
        Some(())
    }
}

fn within(ranges: &[(char, char)], c: char) -> bool {
    ranges.iter().any(|(low, high)| *low <= c && c <= *high)
}

fn draw(chance: &mut u64, below: usize) -> usize {
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    (*chance % below as u64) as usize
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> char {
        let c = self.peek().expect("more of the rule");
        self.at += 1;
        c
    }

    fn space(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn either(&mut self) -> Expression {
        let mut ways = vec![self.sequence()];
        while self.peek() == Some('|') {
            self.at += 1;
            ways.push(self.sequence());
        }
        Expression::Either(ways)
    }

    fn sequence(&mut self) -> Expression {
        let mut parts = Vec::new();
        loop {
            self.space();
            let part = match self.peek() {
                None | Some('|' | ')') => return Expression::Sequence(parts),
                Some('(') => {
                    self.at += 1;
                    let inner = self.either();
                    assert_eq!(self.next(), ')');
                    inner
                }
                Some('"') => {
                    self.at += 1;
                    let mut literal = Vec::new();
                    while self.peek() != Some('"') {
                        literal.push(self.letter());
                    }
                    self.at += 1;
                    Expression::Literal(literal)
                }
                Some('[') => self.class(),
                Some(_) => {
                    let from = self.at;
                    while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '-') {
                        self.at += 1;
                    }
                    assert!(self.at > from, "{:?}", self.peek());
                    Expression::Rule(self.letters[from..self.at].iter().collect())
                }
            };
            parts.push(self.repeated(part));
        }
    }

    fn class(&mut self) -> Expression {
        self.at += 1;
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.peek() != Some(']') {
            let low = self.letter();
            let to = self.peek() == Some('-') && self.letters.get(self.at + 1) != Some(&']');
            let high = if to {
                self.at += 1;
                self.letter()
            } else {
                low
            };
            assert!(low <= high);
            ranges.push((low, high));
        }
        self.at += 1;
        Expression::Class { ranges, negated }
    }

    fn letter(&mut self) -> char {
        match self.next() {
            '\\' => match self.next() {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => self.code(2),
                'u' => self.code(4),
                'U' => self.code(8),
                other => {
                    assert!(matches!(other, '"' | '\\' | '[' | ']'), "{other}");
                    other
                }
            },
            c => c,
        }
    }

    fn code(&mut self, digits: usize) -> char {
        let hex: String = (0..digits).map(|_| self.next()).collect();
        char::from_u32(u32::from_str_radix(&hex, 16).expect("hexadecimal")).expect("a character")
    }

    fn repeated(&mut self, part: Expression) -> Expression {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let from = self.at + 1;
                while self.next() != '}' {}
                let inner: String = self.letters[from..self.at - 1].iter().collect();
                let count = |text: &str| text.parse::<u32>().expect("a count");
                let (least, most) = match inner.split_once(',') {
                    Some((least, "")) => (count(least), None),
                    Some((least, most)) => (count(least), Some(count(most))),
                    None => (count(&inner), Some(count(&inner))),
                };
                self.at -= 1;
                (least, most)
            }
            _ => return part,
        };
        self.at += 1;
        Expression::Repeat {
            of: Box::new(part),
            least,
            most,
        }
    }
}
