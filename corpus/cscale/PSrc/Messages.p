// Updates of an account that every replica holds a copy of: money is paid in, or the account gets another name.

enum Kind { DEPOSIT, RENAME }

// An update is named by the client who wants it, and keeps its name when the client asks again.
type tUpdateId = (client: int, serial: int);

// When an update was accepted, by a replica's clock. Replicas' numbers decide between equal times.
type tStamp = (time: int, replica: int);

// The value is an amount, or a new name.
type tUpdate = (id: tUpdateId, kind: Kind, value: int, stamp: tStamp);

type tAccount = (balance: int, name: int);

// A client asks for an update. It may ask several replicas for the same one.
event eUpdate: (client: Client, id: tUpdateId, kind: Kind, value: int);
event eUpdated: tUpdateId;

// A replica tells another of an update.
event eSpread: (sender: Replica, update: tUpdate);

// The other replicas.
event ePeers: seq[Replica];

// For specs: a client has made up its mind; a replica has taken in an update, and this is the account after it.
event eWanted: (id: tUpdateId, kind: Kind, value: int);
event eTakenIn: (replica: int, update: tUpdate, account: tAccount);
