//! A generator of small random programs.

use fabius_explore::Rng;

use crate::mailboxes::{Mailboxes, Op, To};

const NAMES: [&str; 4] = ["Main", "Worker", "Server", "Client"];

/// The program that belongs to a seed.
pub(crate) fn random_program(seed: u64) -> Mailboxes {
    let mut rng = Rng::from_seed(seed);
    let count = 2 + rng.position(3);
    let mut scripts: Vec<Vec<Op>> = Vec::new();
    for script in 0..count {
        let length = 2 + rng.position(6);
        let mut ops: Vec<Op> = (0..length).map(|_| random_op(&mut rng, script, count)).collect();
        if rng.below(10) == 0 {
            ops.push(Op::Again);
        }
        scripts.push(ops);
    }
    let mut first = vec![Op::Spawn(1), Op::Spawn(1 + rng.position(count - 1))];
    first.append(&mut scripts[0]);
    scripts[0] = first;
    let named: Vec<(&'static str, &[Op])> =
        scripts.iter().enumerate().map(|(index, ops)| (NAMES[index], ops.as_slice())).collect();
    let mut program = Mailboxes::new(&named);
    program.deadlocks = rng.below(4) == 0;
    program
}

fn random_op(rng: &mut Rng, script: usize, scripts: usize) -> Op {
    let tag = rng.below(4) as u8;
    match rng.below(20) {
        0..=6 => {
            let to = [To::This, To::Parent, To::Parent, To::Child(0), To::Child(1), To::Main];
            Op::Send(to[rng.position(to.len())], tag)
        }
        7..=11 => Op::Take,
        12 => Op::Choose(1 + rng.below(4) as u32),
        13..=14 => Op::FailIf(u32::from(tag)),
        15 => Op::Unless(u32::from(tag), 1 + rng.position(2)),
        16 => Op::Enter(tag),
        // Only later scripts, so that no program creates machines for ever.
        17 if script + 1 < scripts => Op::Spawn(script + 1 + rng.position(scripts - script - 1)),
        18 => Op::Print("here"),
        _ => Op::Rest,
    }
}
