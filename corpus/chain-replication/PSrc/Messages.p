// What clients, servers and the master of a chain say to each other.

// Values are whatever clients like to store.
type tUpdate = (client: machine, request: int, key: string, value: data);
// An update and its place in the history.
type tNumbered = (number: int, update: tUpdate);
type tQuery = (client: machine, request: int, key: string);
// What a query found, in the history of how many updates.
type tResult = (client: machine, request: int, key: string, value: data, updates: int);

// Clients send updates to the head and queries to the tail. The tail answers both.
event eUpdate: tUpdate;
event eUpdated: tNumbered;
event eQuery: tQuery;
event eResult: tResult;

// Updates go down the chain, and their acknowledgements, by number, come up.
event eForward: tNumbered;
event eAck: int;

// The master puts a server into its place; null is no neighbour.
event ePlace: (master: machine, predecessor: machine, successor: machine);
// A client wants to know where the chain begins and ends, and is told whenever that changes.
event eRegister: machine;
event eEnds: (head: machine, tail: machine);

// A server fails. Failures are fail-stop: the master hears of one when the server has stopped, and never otherwise.
event eFail;
event eFailed: machine;
// At an end of the chain, the neighbour of the failed server takes its role.
event eBecomeHead;
event eBecomeTail;
// In the middle, the successor of the failed server gets a new predecessor, and says what it has received and how much
// of that it knows to be stable; then its new predecessor can go on from there.
event eNewPredecessor: machine;
event eSuccessorReady: (server: machine, predecessor: machine, received: int, stable: int);
event eNewSuccessor: (successor: machine, received: int, stable: int);

// Only specs hear of these: the servers in order, and that one has put an update into its history.
event eChain: seq[machine];
event eAppended: (server: machine, appended: tNumbered);
