// A process of the algorithm SyncBFS, with the answers that let the root know when it has ended.
//
// In each round a process takes the messages of the round before, and sends its own. The root begins with a search. Who
// is found takes one of those that found it for its parent, and searches in the same round. When all neighbours have
// said whether this process is their parent, and all who said so have reported `COMPLETE`, it does so too.
//
// A neighbour may be a round ahead: its messages can arrive before this process begins the round in which they are
// sent. They must wait.

type tProcessConfig = (number: int, isRoot: bool, synchroniser: Synchroniser, mistake: tMistake);

machine Process {
  var number: int;
  var isRoot: bool;
  var synchroniser: Synchroniser;
  var mistake: tMistake;
  var neighbours: map[int, Process];

  var arrived: seq[tMessage];
  var isFound: bool;
  var parent: int;
  // How many neighbours have not said whether this is their parent, and how many children have not completed.
  var unanswered: int;
  var incomplete: int;
  var hasReported: bool;

  start state Waiting {
    entry (config: tProcessConfig) {
      number = config.number;
      isRoot = config.isRoot;
      synchroniser = config.synchroniser;
      mistake = config.mistake;
      parent = -1;
    }
    on eConnect goto Running with (connected: map[int, Process]) {
      neighbours = connected;
    }
    defer eRound, eMessage;
  }

  state Running {
    on eMessage do (message: tMessage) {
      arrived += (sizeof(arrived), message);
    }
    on eRound do (round: int) {
      var messages: seq[tMessage];
      messages = take(round);
      if (mistake == DONE_TOO_EARLY) {
        send synchroniser, eDone;
      }
      search(round, messages);
      hearAnswers(messages);
      if (isFound && unanswered == 0 && !hasReported && (incomplete == 0 || mistake == COMPLETE_TOO_EARLY)) {
        report(round);
      }
      if (mistake != DONE_TOO_EARLY) {
        send synchroniser, eDone;
      }
    }
  }

  // The messages of the round before, in the order of their arrival.
  fun take(round: int): seq[tMessage] {
    var taken: seq[tMessage];
    var kept: seq[tMessage];
    var message: tMessage;
    foreach (message in arrived) {
      if (message.round < round || mistake == TRUSTS_ARRIVAL) {
        taken += (sizeof(taken), message);
      } else {
        kept += (sizeof(kept), message);
      }
    }
    arrived = kept;
    return taken;
  }

  // Answers those that search, and joins them if it is found now.
  fun search(round: int, messages: seq[tMessage]) {
    var message: tMessage;
    var isNew: bool;
    if (isRoot && !isFound) {
      isNew = true;
    }
    foreach (message in messages) {
      if (message.kind == SEARCH) {
        if (!isFound && !isNew) {
          isNew = true;
          parent = message.sender;
          tell(message.sender, round, PARENT);
        } else {
          tell(message.sender, round, NOT_PARENT);
        }
      }
    }
    if (isNew) {
      beFound(round);
    }
  }

  fun beFound(round: int) {
    var neighbour: int;
    isFound = true;
    announce eFound, (process = number, parent = parent, distance = round - 1);
    unanswered = sizeof(neighbours);
    foreach (neighbour in keys(neighbours)) {
      tell(neighbour, round, SEARCH);
    }
  }

  fun hearAnswers(messages: seq[tMessage]) {
    var message: tMessage;
    foreach (message in messages) {
      if (message.kind == PARENT) {
        unanswered = unanswered - 1;
        incomplete = incomplete + 1;
      } else if (message.kind == NOT_PARENT) {
        unanswered = unanswered - 1;
      } else if (message.kind == COMPLETE) {
        incomplete = incomplete - 1;
      }
    }
  }

  fun report(round: int) {
    hasReported = true;
    if (isRoot) {
      announce eTreeComplete;
      send synchroniser, eStop;
    } else {
      tell(parent, round, COMPLETE);
    }
  }

  fun tell(neighbour: int, round: int, kind: tKind) {
    send neighbours[neighbour], eMessage, (round = round, sender = number, kind = kind);
  }
}
