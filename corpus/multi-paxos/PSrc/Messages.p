// What clients and replicas say to each other.
//
// The log has slots, numbered from 1; each is to hold one command. Ballots are numbered from 1, and no two replicas
// use the same number. Ballot 0 means: none.

type tCommand = (client: machine, number: int);
// A command and the ballot in which it was accepted.
type tEntry = (ballot: int, command: tCommand);
type tProposal = (leader: machine, ballot: int, slot: int, command: tCommand);
type tVote = (replica: machine, ballot: int, slot: int);
type tSlot = (slot: int, command: tCommand);

// A client wants a command to be executed, and hears when the replica that it asked has done so.
event eCommand: tCommand;
event eExecuted: tCommand;

// First phase, for all slots at once: may I lead? The promise tells all that was accepted so far.
event ePrepare: (candidate: machine, ballot: int);
event ePromise: (replica: machine, ballot: int, accepted: map[int, tEntry]);
// Second phase, for each slot: the leader's command. When a majority has accepted, it is chosen.
event eAccept: tProposal;
event eAccepted: tVote;
event eChosen: tSlot;
// The replica has promised to follow a later ballot.
event eReject: (ballot: int, promised: int);

// At the beginning: all replicas. The order gives each its number.
event eReplicas: seq[machine];
// The replica finds that there is no leader, rightly or not.
event eElect;

// Only specs hear of these: how many replicas there are; that one has accepted a command, or executed it.
event eReplicaCount: int;
event eVoted: (replica: machine, ballot: int, slot: int, command: tCommand);
event eApplied: (replica: machine, slot: int, command: tCommand);
