//! Single-decree Paxos as Stateright models it: three servers, and clients that each write a value to a server of their
//! own and then read from the next one. The state is seven integers.
//!
//! Messages arrive in any order, and one that its receiver would do nothing about stays where it is. Each server stands
//! for a client's value at most once and in one ballot, so that there is at most one message of each kind between two
//! servers: the network is a field for each. The history that is part of Stateright's state (what each client has
//! invoked and got back, and what others had completed when it invoked) is in the clients' fields.

use xxhash_rust::xxh3::xxh3_128;

use super::{Compact, field, set_field};

const SERVERS: usize = 3;
const MAJORITY: u32 = 2;

/// As many clients as are wanted, at most one for each server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paxos {
    pub(crate) clients: usize,
}

/// All that a state consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct State {
    servers: [u64; SERVERS],
    /// The messages of the ballot that each server leads, from it and to it.
    ballots: [u64; SERVERS],
    /// The clients, and the messages from and to them other than `PutOk`.
    clients: u64,
}

// A proposal is 1 + its client, or 0 for none: two bits. A ballot is a round and its leader: four bits, so that ballots
// compare as numbers. A vote is what a server has accepted: a ballot and a proposal in seven bits, or 0 for none.
fn ballot(round: u64, leader: usize) -> u64 {
    round << 2 | leader as u64
}

fn vote(ballot: u64, proposal: u64) -> u64 {
    1 << 6 | ballot << 2 | (proposal - 1)
}

fn proposal_of(vote: u64) -> u64 {
    (vote & 3) + 1
}

// A server's fields.
const BALLOT: (u32, u32) = (0, 4);
const PROPOSAL: (u32, u32) = (4, 2);
const ACCEPTED: (u32, u32) = (6, 7);
const DECIDED: (u32, u32) = (13, 1);
/// Which servers have accepted.
const ACCEPTS: (u32, u32) = (14, 3);
/// For each server 1 + its vote in seven bits, or 0: it has not answered.
const PREPARES: (u32, u32) = (17, 8);

// A ballot's fields: for each of the two other servers a message of each phase, and which clients are told that they
// have written. A message has its kind in the lowest bits, then the round, then the rest.
const PEER_BITS: u32 = 22;
const PHASE_ONE: (u32, u32) = (0, 11);
const PHASE_TWO: (u32, u32) = (11, 6);
const DECISION: (u32, u32) = (17, 5);
const PUT_OK: (u32, u32) = (44, 3);
const ASKED: u64 = 1;
const ANSWERED: u64 = 2;

// Fields of the clients, one after the other.
const CLIENT_BITS: u32 = 12;
/// 0: waits for the answer to its write, 1: to its read, 2: for nothing.
const PHASE: (u32, u32) = (0, 2);
/// How many operations each of the others had completed when this client began to read.
const SEEN: (u32, u32) = (2, 4);
/// What it read, as a proposal.
const READ: (u32, u32) = (6, 2);
const PUT: (u32, u32) = (8, 1);
const GET: (u32, u32) = (9, 1);
/// What it is about to hear, as a proposal.
const GET_OK: (u32, u32) = (10, 2);

// Actions: messages that arrive. Six for each ballot, then an answer from each server to each client, then three for each
// client.
const KINDS: u8 = 3;
const FIRST_PUT_OK: u8 = 18;
const FIRST_OF_CLIENTS: u8 = 27;
const ARRIVE_PUT: u8 = 0;
const ARRIVE_GET: u8 = 1;

fn get(word: u64, (shift, width): (u32, u32), base: u32) -> u64 {
    field(word, base + shift, width)
}

fn set(word: &mut u64, (shift, width): (u32, u32), base: u32, value: u64) {
    set_field(word, base + shift, width, value);
}

/// The server that a message of a ballot comes from or goes to, and where its fields begin.
fn peer(leader: usize, which: usize) -> (usize, u32) {
    ((leader + 1 + which) % SERVERS, which as u32 * PEER_BITS)
}

fn base(client: usize) -> u32 {
    client as u32 * CLIENT_BITS
}

impl State {
    fn words(&self) -> impl Iterator<Item = u64> {
        self.servers.into_iter().chain(self.ballots).chain([self.clients])
    }

    fn server(&self, server: usize, what: (u32, u32)) -> u64 {
        get(self.servers[server], what, 0)
    }

    fn set_server(&mut self, server: usize, what: (u32, u32), value: u64) {
        set(&mut self.servers[server], what, 0, value);
    }

    fn client(&self, client: usize, what: (u32, u32)) -> u64 {
        get(self.clients, what, base(client))
    }

    fn set_client(&mut self, client: usize, what: (u32, u32), value: u64) {
        set(&mut self.clients, what, base(client), value);
    }

    /// Sends the same message to both other servers.
    fn broadcast(&mut self, leader: usize, what: (u32, u32), message: u64) {
        for which in 0..SERVERS - 1 {
            set(&mut self.ballots[leader], what, peer(leader, which).1, message);
        }
    }

    /// Which messages of a ballot between its leader and another server would be acted upon.
    fn ballot_actions(&self, leader: usize, which: usize, add: &mut impl FnMut(u8)) {
        let (other, base) = peer(leader, which);
        let first = (leader * 2 + which) as u8 * KINDS;
        let word = self.ballots[leader];
        let one = get(word, PHASE_ONE, base);
        if self.hears(leader, other, one, |current, asked| current < asked) {
            add(first);
        }
        let two = get(word, PHASE_TWO, base);
        if self.hears(leader, other, two, |current, asked| current <= asked) {
            add(first + 1);
        }
        if get(word, DECISION, base) != 0 && self.server(other, DECIDED) == 0 {
            add(first + 2);
        }
    }

    /// Whether the receiver of a message would act upon it: a leader upon answers in its ballot, others as `accepts` says.
    fn hears(&self, leader: usize, other: usize, message: u64, accepts: fn(u64, u64) -> bool) -> bool {
        let ballot = ballot(field(message, 2, 2), leader);
        match message & 3 {
            ASKED => self.server(other, DECIDED) == 0 && accepts(self.server(other, BALLOT), ballot),
            ANSWERED => self.server(leader, DECIDED) == 0 && self.server(leader, BALLOT) == ballot,
            _ => false,
        }
    }

    fn phase_one(&mut self, leader: usize, which: usize) {
        let (other, base) = peer(leader, which);
        let message = get(self.ballots[leader], PHASE_ONE, base);
        let round = field(message, 2, 2);
        if message & 3 == ASKED {
            self.set_server(other, BALLOT, ballot(round, leader));
            let answer = ANSWERED | round << 2 | self.server(other, ACCEPTED) << 4;
            set(&mut self.ballots[leader], PHASE_ONE, base, answer);
            return;
        }
        set(&mut self.ballots[leader], PHASE_ONE, base, 0);
        self.prepared(leader, other, message >> 4);
        let votes: [u64; SERVERS] = std::array::from_fn(|server| self.vote_heard(leader, server));
        if votes.iter().filter(|vote| **vote != 0).count() as u32 != MAJORITY {
            return;
        }
        // Votes are stored as 1 more than they are, and the largest is of the highest ballot.
        let highest = votes.into_iter().max().unwrap_or(0) - 1;
        if highest != 0 {
            self.set_server(leader, PROPOSAL, proposal_of(highest));
        }
        let proposal = self.server(leader, PROPOSAL);
        self.set_server(leader, ACCEPTED, vote(ballot(round, leader), proposal));
        let accepts = self.server(leader, ACCEPTS) | 1 << leader;
        self.set_server(leader, ACCEPTS, accepts);
        self.broadcast(leader, PHASE_TWO, ASKED | round << 2 | proposal << 4);
    }

    fn vote_heard(&self, leader: usize, server: usize) -> u64 {
        get(self.servers[leader], PREPARES, server as u32 * PREPARES.1)
    }

    fn prepared(&mut self, leader: usize, server: usize, vote: u64) {
        set(&mut self.servers[leader], PREPARES, server as u32 * PREPARES.1, vote + 1);
    }

    fn phase_two(&mut self, leader: usize, which: usize) {
        let (other, base) = peer(leader, which);
        let message = get(self.ballots[leader], PHASE_TWO, base);
        let round = field(message, 2, 2);
        if message & 3 == ASKED {
            self.set_server(other, BALLOT, ballot(round, leader));
            self.set_server(other, ACCEPTED, vote(ballot(round, leader), message >> 4));
            set(&mut self.ballots[leader], PHASE_TWO, base, ANSWERED | round << 2);
            return;
        }
        set(&mut self.ballots[leader], PHASE_TWO, base, 0);
        let accepts = self.server(leader, ACCEPTS) | 1 << other;
        self.set_server(leader, ACCEPTS, accepts);
        if accepts.count_ones() == MAJORITY {
            let proposal = self.server(leader, PROPOSAL);
            self.set_server(leader, DECIDED, 1);
            self.broadcast(leader, DECISION, 1 | round << 1 | proposal << 3);
            self.ballots[leader] |= 1 << (u64::from(PUT_OK.0) + proposal - 1);
        }
    }

    fn decision(&mut self, leader: usize, which: usize) {
        let (other, base) = peer(leader, which);
        let message = get(self.ballots[leader], DECISION, base);
        set(&mut self.ballots[leader], DECISION, base, 0);
        let ballot = ballot(field(message, 1, 2), leader);
        self.set_server(other, BALLOT, ballot);
        self.set_server(other, ACCEPTED, vote(ballot, message >> 3));
        self.set_server(other, DECIDED, 1);
    }

    /// The client's server begins a ballot.
    fn put(&mut self, client: usize) {
        self.set_client(client, PUT, 0);
        let leader = client;
        let round = (self.server(leader, BALLOT) >> 2) + 1;
        self.set_server(leader, PROPOSAL, client as u64 + 1);
        self.set_server(leader, BALLOT, ballot(round, leader));
        self.prepared(leader, leader, self.server(leader, ACCEPTED));
        self.broadcast(leader, PHASE_ONE, ASKED | round << 2);
    }

    /// The client begins to read.
    fn put_ok(&mut self, server: usize, client: usize, clients: usize) {
        self.ballots[server] &= !(1 << (PUT_OK.0 + client as u32));
        let mut seen = 0;
        for other in (0..clients).filter(|other| *other != client) {
            seen = seen << 2 | self.client(other, PHASE);
        }
        self.set_client(client, SEEN, seen);
        self.set_client(client, PHASE, 1);
        self.set_client(client, GET, 1);
    }

    fn get(&mut self, client: usize) {
        self.set_client(client, GET, 0);
        let accepted = self.server(reads_from(client), ACCEPTED);
        self.set_client(client, GET_OK, proposal_of(accepted));
    }

    fn get_ok(&mut self, client: usize) {
        let value = self.client(client, GET_OK);
        self.set_client(client, GET_OK, 0);
        self.set_client(client, READ, value);
        self.set_client(client, PHASE, 2);
    }
}

fn reads_from(client: usize) -> usize {
    (client + 1) % SERVERS
}

impl Compact for Paxos {
    type State = State;

    fn initial(&self) -> State {
        let mut state = State::default();
        for client in 0..self.clients {
            state.set_client(client, PUT, 1);
        }
        state
    }

    fn actions(&self, state: &State, add: &mut impl FnMut(u8)) {
        for leader in (0..SERVERS).filter(|leader| state.ballots[*leader] != 0) {
            for which in 0..SERVERS - 1 {
                state.ballot_actions(leader, which, add);
            }
            for client in 0..self.clients {
                let is_told = get(state.ballots[leader], PUT_OK, 0) >> client & 1 == 1;
                if is_told && state.client(client, PHASE) == 0 {
                    add(FIRST_PUT_OK + (leader * SERVERS + client) as u8);
                }
            }
        }
        for client in 0..self.clients {
            let first = FIRST_OF_CLIENTS + client as u8 * KINDS;
            if state.client(client, PUT) == 1 && state.server(client, DECIDED) == 0 {
                add(first + ARRIVE_PUT);
            }
            if state.client(client, GET) == 1 && state.server(reads_from(client), DECIDED) == 1 {
                add(first + ARRIVE_GET);
            }
            if state.client(client, GET_OK) != 0 {
                add(first + 2);
            }
        }
    }

    fn step(&self, state: &State, action: u8) -> State {
        let mut next = *state;
        if action < FIRST_PUT_OK {
            let (leader, which) = (usize::from(action / KINDS / 2), usize::from(action / KINDS % 2));
            match action % KINDS {
                0 => next.phase_one(leader, which),
                1 => next.phase_two(leader, which),
                _ => next.decision(leader, which),
            }
        } else if action < FIRST_OF_CLIENTS {
            let pair = usize::from(action - FIRST_PUT_OK);
            next.put_ok(pair / SERVERS, pair % SERVERS, self.clients);
        } else {
            let client = usize::from((action - FIRST_OF_CLIENTS) / KINDS);
            match (action - FIRST_OF_CLIENTS) % KINDS {
                ARRIVE_PUT => next.put(client),
                ARRIVE_GET => next.get(client),
                _ => next.get_ok(client),
            }
        }
        next
    }

    /// All who have read have read the same value. As every write began before all reads, the history is then
    /// linearizable, which is what the model with actors checks: first the other writes, then this one, then the reads.
    fn holds(&self, state: &State) -> bool {
        let mut value = 0;
        for read in (0..self.clients).map(|client| state.client(client, READ)).filter(|read| *read != 0) {
            if value != 0 && read != value {
                return false;
            }
            value = read;
        }
        true
    }

    fn words(state: &State, add: &mut impl FnMut(u64)) {
        state.words().for_each(add);
    }

    fn fingerprint(state: &State) -> u128 {
        let mut bytes = [0; 56];
        for (place, word) in bytes.chunks_exact_mut(8).zip(state.words()) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        xxh3_128(&bytes)
    }
}
