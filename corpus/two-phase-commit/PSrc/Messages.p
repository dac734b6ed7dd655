// What clients, the coordinator and the participants say to each other.

enum Decision { ABORT, COMMIT }

type tWrite = (key: string, value: int);
type tRequest = (client: machine, write: tWrite);
type tPrepare = (coordinator: machine, transaction: int, write: tWrite);
type tVote = (voter: machine, transaction: int, yes: bool);
type tDecision = (transaction: int, decision: Decision);
type tInquiry = (participant: machine, transaction: int);
type tDecided = (party: machine, transaction: int, decision: Decision);

// A client asks for a write at all participants or at none.
event eTransact: tRequest;
// The coordinator tells the client what became of it.
event eOutcome: tDecision;
// A client reads what one participant holds.
event eRead: (client: machine, key: string);
event eValue: int;

// First phase: can you commit? After a yes, a participant must be able to do either, whatever happens to it.
event ePrepare: tPrepare;
event eVote: tVote;
// Second phase: what all have to do.
event eDecision: tDecision;
// A participant that was down since it voted yes asks what was decided.
event eInquire: tInquiry;

// A participant fails, and comes back with nothing but its log.
event eCrash;
event eRecover;

// Only specs hear of these: who takes part, and that somebody has decided for itself.
event eParticipants: set[machine];
event eDecided: tDecided;
