/* Leader election in a one-way ring (Le Lann, Chang, Roberts). The twin of p/Lcr.p: the same graph of states.
 *
 * A step of a P machine takes a message and goes on to just before the next send, or performs that send and goes on; so
 * does a d_step here. The size is set with -DN=...
 */

#define NEXT (id == N - 1 -> 0 : id + 1)
#define NUMBER (N - id)
#define ELECTED 128

/* A message is a number, or ELECTED plus a number. */
chan queue[N] = [N] of { byte };

/* Used within one step only, hence no part of the state. */
hidden byte message;

proctype node(byte id) {
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
    sending = NUMBER
  }
end:
  do
  :: d_step { sending != 0 -> queue[NEXT]!sending; sending = 0 }
  :: d_step { sending == 0 && nempty(queue[id]) ->
       queue[id]?message;
       if
       :: message == NUMBER -> assert(NUMBER == N); sending = ELECTED + NUMBER
       :: message > NUMBER && message != ELECTED + NUMBER -> sending = message
       :: else
       fi
     }
  od
}

init { run node(0) }
