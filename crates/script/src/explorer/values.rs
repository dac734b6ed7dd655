//! The values that scripts are given and give back.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use fabius_explore::Taken;
use fabius_model::{ActorId, Choice, Effect, Vocabulary};
use rhai::{Dynamic, Map};

use super::machines::Machines;
use crate::content;
use crate::results::in_words;

/// The most characters of a value in a message.
const SHORT: usize = 60;

/// A script value with its content, by which it is compared.
#[derive(Clone, Debug)]
pub(super) struct Held {
    value: Arc<Dynamic>,
    content: Arc<str>,
}

impl Default for Held {
    fn default() -> Self {
        Held { value: Arc::new(Dynamic::UNIT), content: "null".into() }
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Held {}

impl Hash for Held {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.content.hash(hasher);
    }
}

impl Held {
    /// An error says what it cannot hold.
    pub(super) fn new(value: Dynamic) -> Result<Held, String> {
        let content = content::canonical(&value)?.into();
        Ok(Held { value: Arc::new(value), content })
    }

    pub(super) fn value(&self) -> Dynamic {
        (*self.value).clone()
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// As scripts write it.
    pub(super) fn shown(&self) -> &str {
        if self.value.is_unit() { "()" } else { &self.content }
    }
}

/// All that the things of a step depend on, as text.
pub(super) fn key_of(taken: &Taken<'_>, machines: &Machines, key: &mut String) {
    let mut add = |tag: char, actor: Option<ActorId>, names: [u32; 2]| {
        let name = actor.map(|actor| machines.name(actor)).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = write!(key, "{tag}{name}{names:?}");
    };
    if let Choice::Schedule(actor) = taken.choice {
        add('m', Some(actor), [0, 0]);
    }
    for effect in taken.effects {
        match *effect {
            Effect::Created(actor) => add('c', Some(actor), [0, 0]),
            Effect::Enabled(actor) => add('e', Some(actor), [0, 0]),
            Effect::Blocked(actor) => add('w', Some(actor), [0, 0]),
            Effect::Halted(actor) => add('h', Some(actor), [0, 0]),
            Effect::SentTo(actor) => add('t', Some(actor), [0, 0]),
            Effect::Sent(actor, event) => add('s', Some(actor), [event.0, 0]),
            Effect::Entered(actor, state) => add('i', Some(actor), [state.0, 0]),
            Effect::Received { actor, state, event } => add('r', Some(actor), [state.0, event.0]),
            Effect::Announced(event) => add('a', None, [event.0, 0]),
            Effect::Settled(actor) => add('d', Some(actor), [0, 0]),
            Effect::Is { creator, .. } => add('b', Some(creator), [0, 0]),
        }
    }
}

/// What a step did, one value for each thing.
pub(super) fn things(taken: &Taken<'_>, machines: &Machines, vocabulary: &Vocabulary) -> Vec<Dynamic> {
    let mut things = Vec::with_capacity(taken.effects.len() + 1);
    let thing = |what: &str, fields: &[(&str, Dynamic)]| {
        let mut map = Map::new();
        map.insert("what".into(), what.into());
        map.extend(fields.iter().map(|(name, value)| ((*name).into(), value.clone())));
        Dynamic::from(map)
    };
    let who = |actor: ActorId| Dynamic::from(machines.name(actor));
    let word = |name| Dynamic::from(vocabulary.text(name).to_owned());
    if let Choice::Schedule(actor) = taken.choice {
        things.push(thing("moved", &[("machine", who(actor))]));
    }
    for (at, effect) in taken.effects.iter().enumerate() {
        things.push(match *effect {
            Effect::Created(actor) => {
                // The hint after it says who did it.
                let by = match taken.effects.get(at + 1) {
                    Some(Effect::Is { actor: of, creator, .. }) if *of == actor => who(*creator),
                    _ => Dynamic::UNIT,
                };
                thing("created", &[("machine", who(actor)), ("by", by)])
            }
            Effect::Enabled(actor) => thing("enabled", &[("machine", who(actor))]),
            Effect::Blocked(actor) => thing("blocked", &[("machine", who(actor))]),
            Effect::Halted(actor) => thing("halted", &[("machine", who(actor))]),
            Effect::SentTo(actor) => {
                // The hint before it says what was sent.
                let event = match at.checked_sub(1).map(|before| taken.effects[before]) {
                    Some(Effect::Sent(to, event)) if to == actor => word(event),
                    _ => Dynamic::UNIT,
                };
                thing("sent", &[("to", who(actor)), ("event", event), ("dropped", false.into())])
            }
            Effect::Sent(actor, event) => {
                let arrives = taken.effects.get(at + 1) == Some(&Effect::SentTo(actor));
                if arrives {
                    continue;
                }
                thing("sent", &[("to", who(actor)), ("event", word(event)), ("dropped", true.into())])
            }
            Effect::Entered(actor, state) => {
                thing("entered", &[("machine", who(actor)), ("state", state_word(vocabulary.text(state)))])
            }
            Effect::Received { actor, state, event } => thing(
                "received",
                &[
                    ("machine", who(actor)),
                    ("event", word(event)),
                    ("state", state_word(vocabulary.text(state))),
                ],
            ),
            Effect::Announced(event) => thing("announced", &[("event", word(event))]),
            Effect::Settled(actor) => thing("settled", &[("machine", who(actor))]),
            Effect::Is { .. } => continue,
        });
    }
    things
}

/// A control state without its machine type, which the machine's name has.
fn state_word(text: &str) -> Dynamic {
    text.split_once('.').map_or(text, |(_, state)| state).to_owned().into()
}

/// `A`, `B` and `C`
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A script value in a message.
pub(super) fn in_short(value: &Dynamic) -> String {
    let text = content::canonical(value).unwrap_or_else(|_| in_words(value.type_name()).to_owned());
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
