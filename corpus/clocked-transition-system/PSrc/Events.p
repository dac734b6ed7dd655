// What passes between the processes, the time keeper and the register.

// Time goes on by one unit when everybody agrees to it.
event eMayTick;
event eAgreed;
event eTick;

// The shared register. It answers reads with the value, and writes when they are done.
event eRead: machine;
event eValue: int;
event eWrite: (writer: machine, value: int);
event eWritten;

// Tells the time keeper whose time it keeps.
event eStart: seq[Process];

// Announced: the time keeper asks for the next unit; it has begun; a process enters or leaves its critical section.
event eAsked;
event eTicked;
event eEntered: int;
event eLeft: int;

// Mistakes that a system can be made with.
enum tMistake {
  NO_MISTAKE,
  // A process waits only as long as another may take to write.
  WAITS_TOO_SHORT,
  // The clock that measures the waiting has been running since the register was read.
  KEEPS_CLOCK_RUNNING,
  // Time goes on when all but one have agreed.
  TICKS_WITHOUT_CONSENT
}
