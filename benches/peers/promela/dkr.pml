/* Leader election in a one-way ring with O(n log n) messages (Dolev, Klawe, Rodeh). The twin of p/Dkr.p: the same graph
 * of states.
 *
 * A step of a P machine takes a message and goes on to just before the next send, or performs that send and goes on; so
 * does a d_step here. The size is set with -DN=...
 */

#define NEXT (id == N - 1 -> 0 : id + 1)
#define NUMBER (id % 2 == 1 -> id : (id + 1 == N -> N : id + 2))

/* A message is one of these plus a number. */
#define FIRST 32
#define SECOND 64
#define WINNER 96
#define KIND (message & 96)
#define CONTENT (message & 31)

/* The least that suffices: a message that did not fit would be an error. */
#if N < 7
#define CAPACITY 4
#else
#define CAPACITY ((N + 1) / 2)
#endif

chan queue[N] = [CAPACITY] of { byte };

/* Used within one step only, hence no part of the state. */
hidden byte message;

proctype node(byte id) {
  byte value;   /* what the node stands for while it is active; 0 in a relay */
  byte nearer;  /* the value of the active node before this one, between first and second message */
  byte sending; /* the message that the node is about to send; 0: none */

  atomic {
    if
    :: id == 0 ->
       message = 1;
       do
       :: message < N -> run node(message); message++
       :: else -> break
       od
    :: else
    fi;
    value = NUMBER;
    sending = FIRST + value
  }
end:
  do
  :: d_step { sending != 0 -> queue[NEXT]!sending; sending = 0 }
  :: d_step { sending == 0 && nempty(queue[id]) ->
       queue[id]?message;
       if
       :: KIND == WINNER && value != 0
       :: value == 0 -> sending = message
       :: KIND == FIRST && value != 0 && CONTENT == value -> assert(value == N); sending = WINNER + value
       :: KIND == FIRST && value != 0 && CONTENT != value -> nearer = CONTENT; sending = SECOND + nearer
       :: KIND == SECOND && value != 0 && nearer > value && nearer > CONTENT ->
          value = nearer;
          nearer = 0;
          sending = FIRST + value
       :: else -> value = 0; nearer = 0
       fi
     }
  od
}

init { run node(0) }
