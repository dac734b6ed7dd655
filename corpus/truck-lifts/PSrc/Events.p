// What passes between lifts, buttons and the bus.

// What lifts report. `SYNC` is the order to move one step, `STARTUP` a number on its way round the ring.
enum tReport { STANDBY, UP, DOWN, STARTUP, SYNC }

// A message on the bus: the number of the sender, and what it reports.
type tMessage = (number: int, report: tReport);
event eMessage: tMessage;

// From a lift to the bus, by its place in the ring.
event eTransmit: (place: int, message: tMessage);
event eCloseRelay: int;
event eOpenRelay: int;
event eConnect: seq[machine];

// The buttons of a lift. `eSetRef` starts the system, and makes its lift the first.
event eSetRef;
event ePress: tReport;
event eRelease;

// The relay of the first lift is open again; the second lift waits for it.
event eFirstRelayOpened;
event eAwaitFirstRelay: machine;
event eFirstRelaySettled;

// Announced: so many lifts are in the ring; one has learnt its number and how many there are.
event eInstalled: int;
event eNumbered: (number: int, count: int);
// Announced: a lift wants to lead; it leads; it no longer wants to, or no longer does.
event eClaimed: int;
event eLeads: int;
event eResigned: int;
// Announced: a lift follows an order to move, or a lift passes on that lifts should move.
event eMoved: (number: int, direction: tReport);
event eReported: tReport;

// The four mistakes of the original design.
enum tMistake {
  NO_MISTAKE,
  // The second lift sends its number at once, when the relay of the first may still be closed.
  NUMBERS_TOO_EARLY,
  // A lift whose button is released follows the others at once.
  RESIGNS_AT_ONCE,
  // A lift whose button is pressed leads at once.
  LEADS_AT_ONCE
}
