//! Moves in small functions, by hand.

use crate::ids::FunctionId;
use crate::ir::insert_moves;
use crate::ir::text::{parse, print_function};

/// The code of a function after moves were inserted.
fn moved(registers: usize, code: &str) -> String {
    let declarations: String = (0..registers).map(|register| format!("  r{register}: int\n")).collect();
    let text = format!("event null\nevent halt\nevent e\nfun f() {{\n{declarations}{code}}}\n");
    let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    insert_moves(&mut program.functions[0]);
    let printed = print_function(&program, FunctionId(0));
    let (_, code) = printed.split_once(&declarations).expect("the registers are declared first");
    code.strip_suffix("}\n").expect("the function ends").into()
}

#[test]
fn the_last_use_in_straight_code_is_a_move() {
    assert_eq!(
        moved(3, "  r1 = r0\n  r2 = add.int r0, r1\n  return r2\n"),
        "  r1 = r0\n  r2 = add.int move r0, move r1\n  return move r2\n"
    );
}

#[test]
fn only_the_last_of_equal_operands_is_a_move() {
    assert_eq!(
        moved(2, "  r1 = tuple r0, r0, r0\n  send r1, r1, r1\n  return\n"),
        "  r1 = tuple r0, r0, move r0\n  send r1, r1, move r1\n  return\n"
    );
}

#[test]
fn an_instruction_can_move_the_register_that_it_writes() {
    assert_eq!(
        moved(2, "  r0 = add.int r0, r1\n  return r0\n"),
        "  r0 = add.int move r0, move r1\n  return move r0\n"
    );
}

#[test]
fn a_changed_place_needs_its_register_and_a_written_register_does_not() {
    assert_eq!(
        moved(3, "  r2 = r0\n  r0[r1] = r1\n  return\n"),
        "  r2 = r0\n  r0[r1] = move r1\n  return\n",
        "the root is read"
    );
    assert_eq!(
        moved(3, "  r2 = r0\n  assign r0 = r1\n  return r0\n"),
        "  r2 = move r0\n  assign r0 = move r1\n  return move r0\n",
        "the whole register is written"
    );
    assert_eq!(
        moved(3, "  r2 = r0\n  r0 += r1\n  r2 = r0\n  r0 -= r1\n  return\n"),
        "  r2 = r0\n  r0 += r1\n  r2 = r0\n  r0 -= move r1\n  return\n",
        "a collection is changed as a whole register"
    );
}

#[test]
fn an_operand_that_is_also_the_changed_place_is_no_move() {
    assert_eq!(moved(2, "  r0[r1] = r0\n  return\n"), "  r0[move r1] = r0\n  return\n");
    assert_eq!(moved(2, "  r0[r0] = r1\n  return\n"), "  r0[r0] = move r1\n  return\n");
    assert_eq!(moved(2, "  assign r0 = r0\n  return\n"), "  assign r0 = move r0\n  return\n");
}

#[test]
fn a_value_that_one_branch_needs_is_moved_in_that_branch() {
    assert_eq!(
        moved(3, "  r2 = r0\n  branch r1, L2, L3\nL2:\n  return r0\nL3:\n  return r2\n"),
        "  r2 = r0\n  branch move r1, L2, L3\nL2:\n  return move r0\nL3:\n  return move r2\n"
    );
}

#[test]
fn a_value_that_the_next_round_of_a_loop_needs_is_no_move() {
    assert_eq!(
        moved(3, "L0:\n  r1 = add.int r1, r0\n  r2 = r1\n  branch r2, L0, L3\nL3:\n  return r1\n"),
        "L0:\n  r1 = add.int move r1, r0\n  r2 = r1\n  branch move r2, L0, L3\nL3:\n  return move r1\n"
    );
}

#[test]
fn a_value_that_each_round_of_a_loop_writes_anew_is_moved_there() {
    assert_eq!(
        moved(2, "L0:\n  r0 = 1\n  r1 = r0\n  branch r1, L0, L3\nL3:\n  return\n"),
        "L0:\n  r0 = 1\n  r1 = move r0\n  branch move r1, L0, L3\nL3:\n  return\n"
    );
}

#[test]
fn a_received_payload_replaces_the_register_on_the_way_to_its_case_only() {
    assert_eq!(
        moved(2, "  r1 = r0\n  receive { e(r0) -> L2; halt(r0) -> L2 }\nL2:\n  return r0\n"),
        "  r1 = move r0\n  receive { e(r0) -> L2; halt(r0) -> L2 }\nL2:\n  return move r0\n",
        "every case writes it"
    );
    assert_eq!(
        moved(2, "  r1 = r0\n  receive { e(r0) -> L2; halt -> L2 }\nL2:\n  return r0\n"),
        "  r1 = r0\n  receive { e(r0) -> L2; halt -> L2 }\nL2:\n  return move r0\n",
        "one case does not"
    );
}

#[test]
fn code_behind_a_return_does_not_keep_values_alive() {
    assert_eq!(
        moved(1, "  return r0\n  return r0\n"),
        "  return move r0\n  return move r0\n",
        "without jumps"
    );
    assert_eq!(
        moved(1, "  jump L1\nL1:\n  return r0\n  return r0\n"),
        "  jump L1\nL1:\n  return move r0\n  return move r0\n",
        "with jumps"
    );
}

#[test]
fn moves_that_are_wrong_are_taken_back() {
    assert_eq!(moved(2, "  r1 = move r0\n  return r0\n"), "  r1 = r0\n  return move r0\n");
}
