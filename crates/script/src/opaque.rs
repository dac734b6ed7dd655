//! Values that scripts can hold, compare and return, but not look into; and the answer that offers alternatives.

use fabius_vm::Value;
use rhai::{Array, Dynamic, Engine};

/// A value of P that has no natural form in scripts: a machine, an event, or a collection in a variable of type `any`.
#[derive(Clone, Debug)]
pub(crate) struct Opaque(pub(crate) Value);

/// What `any_of([..])` gives: the search tries each.
#[derive(Clone, Debug)]
pub(crate) struct AnyOf(pub(crate) Array);

/// Whether two script values are equal as far as `opaque` values are concerned; others are never equal to these.
#[expect(clippy::needless_pass_by_value, reason = "scripts pass arguments by value")]
fn equals(one: &mut Opaque, other: Opaque) -> bool {
    one.0.equals(&other.0)
}

pub(crate) fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<Opaque>("value of P")
        .register_type_with_name::<AnyOf>("any_of")
        .register_fn("==", equals)
        .register_fn("!=", |one: &mut Opaque, other: Opaque| !equals(one, other))
        .register_fn("to_string", |value: &mut Opaque| value.0.kind().to_owned())
        .register_fn("to_debug", |value: &mut Opaque| value.0.kind().to_owned())
        .register_fn("any_of", |alternatives: Array| Dynamic::from(AnyOf(alternatives)));
}
