module Paxos = { Proposer, Acceptor };
