// What passes between clocks.

// The claims that clocks make: this is the best clock I know of, so many steps away from me. Clocks have numbers, and
// a smaller number is a better clock.
type tClaim = (grandmaster: int, steps: int, sender: int);

// An announce message, with the port at which it arrives.
event eAnnounce: (port: int, claim: tClaim);

// The announce receipt timeout of a port: the other end has stopped to announce. It comes after its last message.
event eSilence: int;

// A cable is plugged in or breaks. A cable that has broken is never mended.
event eLinkUp: int;
event eLinkDown: int;

// Where the ports of a clock lead to.
type tPeer = (clock: machine, port: int, isUp: bool);
event eConnect: seq[tPeer];

enum tPortState { MASTER, SLAVE, PASSIVE, DISABLED }

// Announced: the cables, by the clocks and ports at their ends; a cable changes; a clock has decided.
type tEnd = (clock: int, port: int);
type tLink = (one: tEnd, other: tEnd, isUp: bool);
event eTopology: (clocks: int, links: seq[tLink]);
event eLinkChanged: (link: int, isUp: bool);
event eDecided: (clock: int, grandmaster: int, ports: seq[tPortState]);

// Mistakes that a clock can be made with.
enum tMistake {
  NO_MISTAKE,
  // An announce message that arrives after the cable has broken is believed.
  BELIEVES_LATE_FRAMES,
  // Announce messages may go any number of steps.
  COUNTS_NO_STEPS,
  // An announce message that arrives before the clock has noticed the new cable is lost.
  LOSES_EARLY_FRAMES,
  // What a port has heard is never forgotten, even when the other end has fallen silent.
  NEVER_TIMES_OUT,
  // Of two equally good claims, each end of a cable believes in its own.
  IGNORES_SENDERS
}
