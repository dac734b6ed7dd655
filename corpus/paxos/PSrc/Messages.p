// What proposers and acceptors say to each other.
//
// Ballots are numbered from 1, and no two proposers use the same number. Ballot 0 means: none.

type tPrepare = (proposer: machine, ballot: int);
// What the acceptor has accepted last, and in which ballot.
type tPromise = (acceptor: machine, ballot: int, acceptedIn: int, value: int);
type tProposal = (proposer: machine, ballot: int, value: int);
type tAccepted = (acceptor: machine, ballot: int, value: int);

// First phase: will you take part in this ballot, and in no earlier one?
event ePrepare: tPrepare;
event ePromise: tPromise;
// Second phase: the value of this ballot. It is chosen when a majority has accepted it.
event eAccept: tProposal;
event eAccepted: tAccepted;
// The acceptor has promised to take part in a later ballot only.
event eReject: (ballot: int, promised: int);

// An acceptor stops for good.
event eStop;

// Only specs hear of these: how many acceptors there are, what a proposer wants, and what it has
// found to be chosen.
event eAcceptors: int;
event eWanted: int;
event eLearned: int;
