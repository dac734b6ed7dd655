// What processors say to the arbiter of the buffers and to the buffers themselves.

// A slave writes: it asks for a buffer, and gives it back when the message in it is complete.
event eAcquireWrite: machine;
event eWriteGranted: int;
event eReleaseWrite: int;

// A master reads: it asks for the current message, and gives its buffer back.
event eAcquireRead: machine;
event eReadGranted: (reader: machine, buffer: int);
event eNothingToRead;
event eReleaseRead: (reader: machine, buffer: int);

// Access to the memory, a word at a time.
event eWriteWord: (word: int, value: tWord);
event eReadWord: (reader: machine, word: int);
event eWord: tWord;

// Announced by the arbiter: the message in this buffer is now the newest.
event ePublished: int;

// A word of a message: who wrote it, in which of its messages.
type tWord = (slave: int, message: int);

// Mistakes that an arbiter can be made with.
enum tMistake {
  NO_MISTAKE,
  // The first master to finish gives the buffer back in the name of all.
  FIRST_READER_RELEASES,
  // A master gets the newest message even while others still read an older one.
  PREFERS_NEWEST
}
