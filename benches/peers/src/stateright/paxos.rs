//! Single-decree Paxos in Stateright's own manner: the same graph as `models::paxos`, as actors with Stateright's clients
//! of a register and its test of linearizability.

use std::borrow::Cow;

use stateright::Expectation;
use stateright::actor::register::{RegisterActor, RegisterMsg};
use stateright::actor::{Actor, ActorModel, Id, Network, Out, majority, model_peers};
use stateright::semantics::LinearizabilityTester;
use stateright::semantics::register::Register;
use stateright::util::{HashableHashMap, HashableHashSet};

type Ballot = (u32, Id);
type Request = u64;
type Value = char;
type Proposal = (Request, Id, Value);
type Vote = Option<(Ballot, Proposal)>;
type Message = RegisterMsg<Request, Value, Internal>;

/// What servers say to each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Internal {
    Prepare(Ballot),
    Prepared(Ballot, Vote),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

/// A server that leads ballots for its clients and votes in those of others.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    peers: Vec<Id>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ServerState {
    ballot: Ballot,
    proposal: Option<Proposal>,
    votes: HashableHashMap<Id, Vote>,
    accepts: HashableHashSet<Id>,
    accepted: Vote,
    is_decided: bool,
}

pub(crate) type Model = ActorModel<RegisterActor<Server>, (), LinearizabilityTester<Id, Register<Value>>>;

/// Three servers and some clients, each of which writes once and then reads.
pub(crate) fn model(clients: usize) -> Model {
    let servers = 3;
    let client = RegisterActor::Client { put_count: 1, server_count: servers };
    ActorModel::new((), LinearizabilityTester::new(Register(Value::default())))
        .actors(
            (0..servers).map(|place| RegisterActor::Server(Server { peers: model_peers(place, servers) })),
        )
        .actors(vec![client; clients])
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(Expectation::Always, "linearizable", |_, state| {
            state.history.serialized_history().is_some()
        })
        .record_msg_in(RegisterMsg::record_returns)
        .record_msg_out(RegisterMsg::record_invocations)
}

impl Actor for Server {
    type Msg = Message;
    type State = ServerState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> ServerState {
        ServerState {
            ballot: (0, Id::from(0)),
            proposal: None,
            votes: HashableHashMap::default(),
            accepts: HashableHashSet::default(),
            accepted: None,
            is_decided: false,
        }
    }

    fn on_msg(&self, id: Id, state: &mut Cow<ServerState>, from: Id, message: Message, out: &mut Out<Self>) {
        match message {
            RegisterMsg::Get(request) if state.is_decided => {
                if let Some((_, (_, _, value))) = state.accepted {
                    out.send(from, RegisterMsg::GetOk(request, value));
                }
            }
            _ if state.is_decided => {}
            RegisterMsg::Put(request, value) if state.proposal.is_none() => {
                self.lead(id, state.to_mut(), (request, from, value), out);
            }
            RegisterMsg::Internal(Internal::Prepare(ballot)) if state.ballot < ballot => {
                state.to_mut().ballot = ballot;
                out.send(from, RegisterMsg::Internal(Internal::Prepared(ballot, state.accepted)));
            }
            RegisterMsg::Internal(Internal::Prepared(ballot, vote)) if state.ballot == ballot => {
                self.hear_vote(id, state.to_mut(), from, vote, out);
            }
            RegisterMsg::Internal(Internal::Accept(ballot, proposal)) if state.ballot <= ballot => {
                let state = state.to_mut();
                state.ballot = ballot;
                state.accepted = Some((ballot, proposal));
                out.send(from, RegisterMsg::Internal(Internal::Accepted(ballot)));
            }
            RegisterMsg::Internal(Internal::Accepted(ballot)) if state.ballot == ballot => {
                self.hear_accept(state.to_mut(), from, out);
            }
            RegisterMsg::Internal(Internal::Decided(ballot, proposal)) => {
                let state = state.to_mut();
                state.ballot = ballot;
                state.accepted = Some((ballot, proposal));
                state.is_decided = true;
            }
            _ => {}
        }
    }
}

impl Server {
    fn lead(&self, id: Id, state: &mut ServerState, proposal: Proposal, out: &mut Out<Self>) {
        state.proposal = Some(proposal);
        state.ballot = (state.ballot.0 + 1, id);
        state.votes.insert(id, state.accepted);
        out.broadcast(&self.peers, &RegisterMsg::Internal(Internal::Prepare(state.ballot)));
    }

    /// Once a majority has answered, asks to accept what the latest of them has accepted, or else its own proposal.
    fn hear_vote(&self, id: Id, state: &mut ServerState, from: Id, vote: Vote, out: &mut Out<Self>) {
        state.votes.insert(from, vote);
        if state.votes.len() != majority(self.peers.len() + 1) {
            return;
        }
        if let Some((_, proposal)) = state.votes.values().flatten().max() {
            state.proposal = Some(*proposal);
        }
        let Some(proposal) = state.proposal else { return };
        state.accepted = Some((state.ballot, proposal));
        state.accepts.insert(id);
        out.broadcast(&self.peers, &RegisterMsg::Internal(Internal::Accept(state.ballot, proposal)));
    }

    fn hear_accept(&self, state: &mut ServerState, from: Id, out: &mut Out<Self>) {
        state.accepts.insert(from);
        let Some((request, client, value)) = state.proposal else { return };
        if state.accepts.len() == majority(self.peers.len() + 1) {
            state.is_decided = true;
            let decided = Internal::Decided(state.ballot, (request, client, value));
            out.broadcast(&self.peers, &RegisterMsg::Internal(decided));
            out.send(client, RegisterMsg::PutOk(request));
        }
    }
}
