/* Tokens that wander between a hub and two workers, each stamping them with all that it has seen so far. The twin of
 * p/Ledger.p: the same graph of states.
 *
 * A step of a P machine takes a message and goes on to just before the next send, or performs that send and goes on; so
 * does a d_step here. While a P machine chooses, no other moves: hence `choosing`. The size is set with -DN=... for the
 * hops of a token and -DTOKENS=...
 */

#define ENTERED(ledger, stamp) ((31 * ledger + stamp) % 16777213)

/* Hops that are left, and stamp. The hub's queue is the first, then those of the workers. */
chan queue[3] = [TOKENS] of { byte, int };

bit choosing;

/* Used within one step only, hence no part of the state. */
hidden int arrived;

active proctype hub() {
  byte target; /* to whom the hub is about to send; 0: nobody */
  bit begun;   /* whether all tokens are on their way */
  byte hops;
  int stamp;
  int ledger;

  atomic {
    run worker(1);
    run worker(2);
    target = 1;
    hops = N;
    stamp = 1
  }
end:
  do
  :: d_step { target != 0 ->
       queue[target]!hops, stamp;
       if
       :: target < TOKENS && !begun -> target++; stamp++
       :: else -> begun = 1; target = 0; hops = 0; stamp = 0
       fi
     }
  :: d_step { target == 0 && !choosing && nempty(queue[0]) ->
       queue[0]?hops, arrived;
       ledger = ENTERED(ledger, arrived);
       if
       :: hops > 0 -> hops--; choosing = 1
       :: else
       fi
     }
  :: d_step { choosing -> choosing = 0; target = 1; stamp = 2 * ledger }
  :: d_step { choosing -> choosing = 0; target = 2; stamp = 2 * ledger + 1 }
  od
}

proctype worker(byte id) {
  bit passing; /* whether the worker is about to send */
  byte hops;
  int ledger;

  !choosing;
end:
  do
  :: d_step { passing && !choosing ->
       queue[0]!hops, ledger;
       passing = 0;
       hops = 0
     }
  :: d_step { !passing && !choosing && nempty(queue[id]) ->
       queue[id]?hops, arrived;
       ledger = ENTERED(ledger, arrived);
       passing = 1
     }
  od
}
