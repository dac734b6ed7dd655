// What passes between processes and the synchroniser.

enum tKind {
  // I have been found; have you?
  SEARCH,
  // You are my parent; you are not.
  PARENT,
  NOT_PARENT,
  // All below me have been found.
  COMPLETE
}

// A message, with the round in which it is sent. It is for the next one.
type tMessage = (round: int, sender: int, kind: tKind);
event eMessage: tMessage;

// A round begins; a process has sent all that it has to send in it; the algorithm has ended.
event eRound: int;
event eDone;
event eStop;

// The neighbours of a process, by their numbers.
event eConnect: map[int, Process];
event eStart: seq[Process];

// Announced: the graph, by its neighbourhoods, and its root; a process is found; the root knows that all are.
event eGraph: (neighbours: seq[seq[int]], root: int);
event eFound: (process: int, parent: int, distance: int);
event eTreeComplete;

// Mistakes that a process can be made with.
enum tMistake {
  NO_MISTAKE,
  // What has arrived is taken for what was sent in the round before.
  TRUSTS_ARRIVAL,
  // The synchroniser is told that all is sent before it is.
  DONE_TOO_EARLY,
  // A process does not wait for those below its children.
  COMPLETE_TOO_EARLY
}
