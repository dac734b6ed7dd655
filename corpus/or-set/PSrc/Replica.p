// A replica of an observed-remove set. Each replica serves its own clients at once, from what it knows, and tells the
// others about every operation. Two replicas that have heard of the same operations hold the same elements, in whatever
// order they heard of them; if an element is added and removed at the same time, it stays.
//
// Every add puts a fresh tag on the element. A remove names the tags that the replica has seen on the element, and
// takes away these and no others: so it does not touch an add that it did not know of.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // A remove takes away all tags that the element has where the remove arrives.
  REMOVES_ELEMENT,
  // A replica does not remember which tags were removed, and takes in an add that arrives after its own removal.
  FORGETS_REMOVED,
  // A replica answers its client first, and then tells all replicas, itself the last.
  ANSWERS_EARLY,
  // The tag says which replica added the element, and not for the how-manieth time.
  REUSES_TAGS
}

enum Kind { ADD, REMOVE }

// A name for an operation, or a tag: the replica where it was made, and a number that is used once.
type tId = (replica: int, serial: int);

type tOperation = (id: tId, kind: Kind, element: int, tags: set[tId]);

type tReplicaConfig = (number: int, flaw: Flaw);

// What clients ask for, and what they get.
type tRequest = (client: machine, element: int);

event eAdd: tRequest;
event eRemove: tRequest;
event eRead: machine;
event eDone;
event eContents: set[int];

// What replicas tell each other.
event eOperation: tOperation;

// The other replicas.
event ePeers: seq[Replica];

// For specs: an operation is made, and taken in by a replica, which now holds these elements.
event eMade: tOperation;
event eTakenIn: (replica: int, operation: tId, holds: set[int]);

machine Replica {
  var number: int;
  var flaw: Flaw;
  var peers: seq[Replica];
  var serial: int;

  // The tags that are on each element.
  var present: set[(element: int, tag: tId)];
  // Tags that were taken away. They may arrive only later.
  var removed: set[tId];

  start state Starting {
    defer eAdd, eRemove, eRead, eOperation;
    entry (config: tReplicaConfig) {
      number = config.number;
      flaw = config.flaw;
    }
    on ePeers goto Serving with (others: seq[Replica]) {
      peers = others;
    }
  }

  state Serving {
    on eAdd do (request: tRequest) {
      var tags: set[tId];
      serial = serial + 1;
      if (flaw == REUSES_TAGS) {
        tags += ((replica = number, serial = 0));
      } else {
        tags += ((replica = number, serial = serial));
      }
      make((id = (replica = number, serial = serial), kind = ADD, element = request.element, tags = tags),
        request.client);
    }

    on eRemove do (request: tRequest) {
      serial = serial + 1;
      make((id = (replica = number, serial = serial), kind = REMOVE, element = request.element,
        tags = tagsOf(request.element)), request.client);
    }

    on eRead do (client: machine) {
      send client, eContents, contents();
    }

    on eOperation do takeIn;
  }

  // An operation of this replica: takes effect here, then the client is told, then the others.
  fun make(operation: tOperation, client: machine) {
    var peer: Replica;
    announce eMade, operation;
    if (flaw != ANSWERS_EARLY) {
      takeIn(operation);
    }
    send client, eDone;
    foreach (peer in peers) {
      send peer, eOperation, operation;
    }
    if (flaw == ANSWERS_EARLY) {
      send this, eOperation, operation;
    }
  }

  fun takeIn(operation: tOperation) {
    var tag: tId;
    if (operation.kind == REMOVE && flaw == REMOVES_ELEMENT) {
      operation.tags = tagsOf(operation.element);
    }
    foreach (tag in operation.tags) {
      if (operation.kind == REMOVE) {
        present -= ((element = operation.element, tag = tag));
        if (flaw != FORGETS_REMOVED) {
          removed += (tag);
        }
      } else if (!(tag in removed)) {
        present += ((element = operation.element, tag = tag));
      }
    }
    announce eTakenIn, (replica = number, operation = operation.id, holds = contents());
  }

  fun tagsOf(element: int): set[tId] {
    var tags: set[tId];
    var tagged: (element: int, tag: tId);
    foreach (tagged in present) {
      if (tagged.element == element) {
        tags += (tagged.tag);
      }
    }
    return tags;
  }

  fun contents(): set[int] {
    var elements: set[int];
    var tagged: (element: int, tag: tId);
    foreach (tagged in present) {
      elements += (tagged.element);
    }
    return elements;
  }
}
