//! Liveness and moves against their definition by paths, and by runs that would notice a value missing.

use super::EVERYTHING;
use super::generate::generate;
use super::programs::{assert_round_trip, assert_verified};
use super::random::Random;
use crate::ids::{EventId, FunctionId};
use crate::ir::text::{parse, print, print_instruction};
use crate::ir::{
    Constant, Function, Instruction, Label, Liveness, Operand, Place, Program, Projection, ReceiveCase,
    Register, RegisterInfo, Root, insert_moves, verify,
};
use crate::names::Name;
use crate::source::Span;
use crate::types::TypeId;

#[test]
fn operands_are_those_of_the_text_in_the_order_of_the_text() {
    let mut programs: Vec<_> = (0..20).map(generate).collect();
    programs.push(parse(EVERYTHING).unwrap());
    for program in &programs {
        for (id, function) in program.functions.iter().enumerate() {
            for (at, instruction) in function.code.iter().enumerate() {
                let text = print_instruction(program, FunctionId(id as u32), at);
                let written = instruction.definition().or(instruction.updated());
                let received = instruction.successors(at).filter_map(|successor| successor.defines);
                let operands = instruction.uses().map(|operand| operand.register);
                let registers: Vec<_> = written.into_iter().chain(operands).chain(received).collect();
                assert_eq!(registers_of(&text), registers, "{text}");
                let moves = instruction.uses().filter(|operand| operand.is_move).count();
                assert_eq!(text.matches("move r").count(), moves, "{text}");
                let mut changed = instruction.clone();
                let copies: Vec<_> = changed.uses_mut().map(|operand| *operand).collect();
                assert_eq!(copies, instruction.uses().collect::<Vec<_>>());
            }
        }
    }
}

/// The registers in a text, outside quotes.
fn registers_of(text: &str) -> Vec<Register> {
    let mut unquoted = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..start + 1];
        unquoted += &rest[..start];
        rest = &rest[start + 1..];
        while let Some(stop) = rest.find(['\\', '"', '\'']) {
            let is_end = rest[stop..].starts_with(quote);
            let skipped = if rest[stop..].starts_with('\\') { 2 } else { 1 };
            rest = &rest[stop + skipped..];
            if is_end {
                break;
            }
        }
    }
    unquoted += rest;
    let words = unquoted.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter_map(|word| word.strip_prefix('r')?.parse().ok()).map(Register).collect()
}

#[test]
fn moves_are_the_uses_after_which_no_path_reads_the_value() {
    for seed in 0..3000 {
        // A few are long enough for sets of blocks of several words.
        let longest = if seed % 300 == 0 { 500 } else { 25 };
        let mut function = tangle(&mut Random::new(seed), longest);
        insert_moves(&mut function);
        assert_moves_are_last_uses(&function);
        assert_liveness_is_by_paths(&function);
    }
}

#[test]
fn no_run_reads_a_moved_value() {
    for seed in 0..300 {
        let mut program = generate(seed);
        assert_verified(&program);
        program.functions.iter_mut().for_each(insert_moves);
        assert_verified(&program);
        if seed < 60 {
            assert_round_trip(&program);
        }
        let mut random = Random::new(seed);
        for function in program.functions.iter().filter(|function| !function.is_foreign) {
            for _ in 0..5 {
                run(function, &mut random, &program);
            }
        }
    }
}

#[test]
fn moves_of_random_programs_are_last_uses() {
    for seed in 1000..1040 {
        let mut program = generate(seed);
        for function in &mut program.functions {
            insert_moves(function);
            assert_moves_are_last_uses(function);
        }
    }
}

#[test]
fn the_verifier_finds_every_move_that_is_not_a_last_use() {
    for seed in 0..150 {
        let mut program = generate(seed);
        program.functions.iter_mut().for_each(insert_moves);
        let mut random = Random::new(seed);
        let candidates: Vec<_> = operands(&program).filter(|(.., operand)| !operand.is_move).collect();
        if candidates.is_empty() {
            continue;
        }
        let (function, at, index, _) = random.pick(&candidates);
        if !is_reached(&program.functions[function], at) {
            continue;
        }
        let instruction = &mut program.functions[function].code[at];
        instruction.uses_mut().nth(index).expect("it was found there").is_move = true;
        let violations = verify(&program);
        assert!(!violations.is_empty(), "a wrong move at {at} passes\n{}", print(&program));
    }
}

/// Every operand of a program: the function, the position, its place in the instruction, and the operand.
fn operands(program: &Program) -> impl Iterator<Item = (usize, usize, usize, Operand)> {
    program.functions.iter().enumerate().flat_map(|(function, body)| {
        body.code.iter().enumerate().flat_map(move |(at, instruction)| {
            instruction.uses().enumerate().map(move |(index, operand)| (function, at, index, operand))
        })
    })
}

fn is_reached(function: &Function, target: usize) -> bool {
    let mut seen = vec![false; function.code.len()];
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            waiting.extend(function.code[at].successors(at).map(|successor| successor.at));
        }
    }
    seen[target]
}

fn assert_moves_are_last_uses(function: &Function) {
    for (at, instruction) in function.code.iter().enumerate() {
        let operands: Vec<_> = instruction.uses().collect();
        for (index, operand) in operands.iter().enumerate() {
            let in_the_rest = operands[index + 1..].iter().any(|later| later.register == operand.register);
            let is_read = in_the_rest
                || instruction.updated() == Some(operand.register)
                || instruction.definition() != Some(operand.register)
                    && is_read_after(function, at, operand.register);
            assert_eq!(operand.is_move, !is_read, "operand {index} of {at} in {:#?}", function.code);
        }
    }
}

fn assert_liveness_is_by_paths(function: &Function) {
    let liveness = Liveness::analyse(function);
    let mut shown = 0;
    liveness.for_each_live_out(|at, live| {
        shown += 1;
        assert_eq!(*live, liveness.live_out(at), "after {at} in {:#?}", function.code);
        for register in (0..function.registers.len() as u32).map(Register) {
            let is_live = is_read_after(function, at, register);
            assert_eq!(live.contains(register), is_live, "{register:?} after {at} in {:#?}", function.code);
        }
        assert!(live.iter().all(|register| live.contains(register)));
    });
    assert_eq!(shown, function.code.len());
}

/// Whether some path from behind the instruction reads the register before writing it: the definition, by search.
fn is_read_after(function: &Function, at: usize, register: Register) -> bool {
    let mut seen = vec![false; function.code.len()];
    let mut waiting = vec![at];
    while let Some(at) = waiting.pop() {
        for successor in function.code[at].successors(at) {
            if successor.defines == Some(register) || std::mem::replace(&mut seen[successor.at], true) {
                continue;
            }
            let next = &function.code[successor.at];
            if next.uses().any(|operand| operand.register == register) || next.updated() == Some(register) {
                return true;
            }
            if next.definition() != Some(register) {
                waiting.push(successor.at);
            }
        }
    }
    false
}

/// Follows a random path; registers are full or empty.
fn run(function: &Function, random: &mut Random, program: &Program) {
    let mut is_full = vec![true; function.registers.len()];
    let mut at = 0;
    for _ in 0..400 {
        let instruction = &function.code[at];
        for operand in instruction.uses() {
            assert!(is_full[operand.register.index()], "{operand:?} at {at} is empty\n{}", print(program));
            is_full[operand.register.index()] = !operand.is_move;
        }
        if let Some(register) = instruction.updated() {
            assert!(
                is_full[register.index()],
                "{register:?} is changed at {at} and is empty\n{}",
                print(program)
            );
        }
        if let Some(register) = instruction.definition() {
            is_full[register.index()] = true;
        }
        let successors: Vec<_> = instruction.successors(at).collect();
        if successors.is_empty() {
            return;
        }
        let next = random.pick(&successors);
        next.defines.into_iter().for_each(|register| is_full[register.index()] = true);
        at = next.at;
    }
}

/// A function with few registers and jumps from anywhere to anywhere. Types mean nothing in it.
fn tangle(random: &mut Random, longest: usize) -> Function {
    let registers = 1 + random.below(70).min(random.below(70));
    let length = 1 + random.below(longest);
    let mut code: Vec<_> = (1..length).map(|_| tangled(random, registers, length)).collect();
    code.push(Instruction::Return(None));
    Function {
        name: Name::MISSING,
        owner: None,
        parameters: 0,
        registers: vec![RegisterInfo { ty: TypeId::INT, name: None }; registers],
        result: TypeId::NULL,
        spans: vec![Span::default(); code.len()],
        code,
        is_foreign: false,
        span: Span::default(),
    }
}

fn tangled(random: &mut Random, registers: usize, length: usize) -> Instruction {
    // Few registers out of many, so that they meet.
    let spread = registers.min(4);
    let register = |random: &mut Random| Register((random.below(spread) * (registers / spread)) as u32);
    let operand = |random: &mut Random| Operand { register: register(random), is_move: random.one_in(2) };
    let label = |random: &mut Random| Label(random.below(length) as u32);
    let place = |random: &mut Random| {
        let index = [Projection::Index(operand(random)), Projection::Item(0)];
        Place { root: Root::Register(register(random)), path: index[..random.below(3)].into() }
    };
    match random.below(14) {
        0 | 1 => Instruction::Const { to: register(random), value: Constant::Int(0) },
        2 => Instruction::Copy { to: register(random), from: operand(random) },
        3 => Instruction::Tuple {
            to: register(random),
            items: (0..random.below(4)).map(|_| operand(random)).collect(),
        },
        4 | 5 => Instruction::Assign { place: place(random), value: operand(random) },
        6 => Instruction::Insert { place: place(random), key: operand(random), value: operand(random) },
        7 => Instruction::Remove { place: place(random), key: operand(random) },
        8 => Instruction::Jump(label(random)),
        9 | 10 => {
            Instruction::Branch { condition: operand(random), then: label(random), otherwise: label(random) }
        }
        11 => {
            let case = |random: &mut Random| ReceiveCase {
                events: [EventId(2)].into(),
                payload: random.one_in(2).then(|| register(random)),
                target: label(random),
            };
            Instruction::Receive { cases: (0..1 + random.below(3)).map(|_| case(random)).collect() }
        }
        12 => Instruction::Send {
            target: operand(random),
            event: operand(random),
            payload: Some(operand(random)),
        },
        _ => Instruction::Return(Some(operand(random))),
    }
}
