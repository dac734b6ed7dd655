//! The beginning of a script for functions that have no body.

use fabius_lang::ids::FunctionId;
use fabius_lang::ir::Program;
use fabius_lang::types::{Type, TypeId};

use crate::scripts::names;

/// Words that cannot be names in scripts.
const RESERVED: &[&str] = &[
    "as",
    "async",
    "await",
    "begin",
    "break",
    "call",
    "case",
    "catch",
    "const",
    "continue",
    "curry",
    "debug",
    "default",
    "do",
    "each",
    "else",
    "end",
    "eval",
    "exit",
    "export",
    "false",
    "fn",
    "for",
    "function",
    "global",
    "go",
    "goto",
    "if",
    "import",
    "in",
    "is",
    "is_def_fn",
    "is_def_var",
    "is_shared",
    "let",
    "loop",
    "match",
    "module",
    "new",
    "nil",
    "null",
    "package",
    "print",
    "private",
    "protected",
    "public",
    "return",
    "shared",
    "spawn",
    "static",
    "super",
    "switch",
    "sync",
    "then",
    "this",
    "thread",
    "throw",
    "true",
    "try",
    "type_of",
    "unless",
    "until",
    "use",
    "var",
    "void",
    "when",
    "where",
    "while",
    "with",
    "yield",
    "any_of",
];

/// How the program declares a function: `fun Max(a: int, b: int): int;`.
pub fn signature(program: &Program, function: FunctionId) -> String {
    let info = &program[function];
    let name = program.name(info.name);
    let name = name.split_once('.').map_or(name, |(_, name)| name);
    let parameters = parameters(program, function);
    let types = info.registers.iter().map(|register| program.display_type(register.ty));
    let parameters: Vec<String> =
        parameters.iter().zip(types).map(|(name, ty)| format!("{name}: {ty}")).collect();
    let result = match info.result {
        TypeId::NULL => String::new(),
        ty => format!(": {}", program.display_type(ty)),
    };
    format!("fun {name}({}){result};", parameters.join(", "))
}

/// A script with functions for these, to be filled in: each returns the default of its type.
pub fn stub(program: &Program, functions: &[FunctionId]) -> String {
    let one = |function: &FunctionId| {
        let owner = program[*function].owner.map_or(String::new(), |machine| {
            format!(" of machine `{}`", program.name(program[machine].name))
        });
        let parameters: Vec<String> =
            parameters(program, *function).into_iter().map(|name| allowed(name.to_owned())).collect();
        let name = names(program, *function).into_iter().next().unwrap_or_default();
        format!(
            "// {}{owner}\nfn {}({}) {{\n    {}\n}}\n",
            signature(program, *function),
            allowed(name),
            parameters.join(", "),
            default(program, program[*function].result)
        )
    };
    functions.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn parameters(program: &Program, function: FunctionId) -> Vec<&str> {
    let info = &program[function];
    let registers = info.registers.iter().take(info.parameters as usize);
    registers.map(|register| register.name.map_or("_", |name| program.name(name))).collect()
}

fn allowed(name: String) -> String {
    if RESERVED.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// A type's default value in a script; an empty one where it is null.
fn default(program: &Program, ty: TypeId) -> String {
    match program.types.get(ty) {
        Type::Bool => "false".into(),
        Type::Int => "0".into(),
        Type::Float => "0.0".into(),
        Type::String => "\"\"".into(),
        Type::Seq(_) | Type::Set(_) | Type::Map(..) => "[]".into(),
        Type::Tuple(types) => {
            let items: Vec<String> = types.iter().map(|ty| default(program, *ty)).collect();
            format!("[{}]", items.join(", "))
        }
        Type::NamedTuple(fields) => {
            let field =
                |(name, ty): &(_, TypeId)| format!("{}: {}", program.name(*name), default(program, *ty));
            format!("#{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Type::Enum(id) => {
            let lowest = program[*id].elements.iter().min_by_key(|element| element.value);
            lowest.map_or("0", |element| program.name(element.name)).into()
        }
        _ => "()".into(),
    }
}
