//! What surely passes does pass, and nothing else but what needs a closer look.

use super::{Passing, fits};
use crate::value::{FieldNames, Permission, Reference, Value};
use fabius_lang::ids::EventId;
use fabius_lang::source::SourceMap;
use fabius_model::ActorId;

const SOURCE: &str = "type tOpaque;
enum tColour { RED, GREEN }
event eGo: (a: int, b: tColour);
machine Main {
  var all: any;
  var facts: data;
  var other: machine;
  var name: string;
  var share: float;
  var which: event;
  var flag: bool;
  var pair: (int, bool);
  var list: seq[int];
  var members: set[int];
  var table: map[int, tOpaque];
  start state Init { on eGo do (payload: (a: int, b: tColour)) { } }
}
test tc [main = Main]: { Main };";

#[test]
fn values_pass_as_the_types_that_they_fit() {
    let mut sources = SourceMap::default();
    sources.add("test.p", SOURCE, false).expect("the text is short");
    let compilation = fabius_lang::compile(&sources);
    let program = compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Int(3),
        Value::Float(0.5),
        Value::Event(EventId::HALT),
        Value::Machine(Reference { actor: ActorId(0), permission: Permission(0) }),
        Value::string("text"),
        Value::tuple([Value::Null]),
        Value::named_tuple(FieldNames::new(["a"]), [Value::Null]),
        Value::seq([]),
        Value::set([]),
        Value::map([]),
        Value::foreign("tOpaque", "", []),
        Value::foreign("tOther", "", []),
    ];
    assert!(program.types.iter().count() > 12, "the program has types of all kinds");
    for (id, ty) in program.types.iter() {
        for value in &values {
            let is_close = matches!(value, Value::Foreign(_));
            let (surely, really) = (Passing::of(id, &program).has(value), fits(value, id, &program));
            assert!(surely == really || is_close && !surely, "{value:?} as {ty:?}");
        }
    }
}
