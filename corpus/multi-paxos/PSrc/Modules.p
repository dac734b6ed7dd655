module MultiPaxos = { Replica, Client };
