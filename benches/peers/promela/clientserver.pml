/* Clients that ask one server twice, which answers in the order of arrival. The twin of p/ClientServer.p: the same graph
 * of states.
 *
 * A step of a P machine takes a message and goes on to just before the next send, or performs that send and goes on; so
 * does a d_step here. The number of clients is set with -DN=..., and how many answers each waits for at a time with
 * -DWAITING=...
 */

#define REQUESTS 2
#define MAY_ASK (sent < REQUESTS && sent < answered + WAITING)

/* A request is 1 + its client * REQUESTS + its ordinal, an answer the ordinal. */
chan requests = [N * REQUESTS] of { byte };
chan answers[N] = [REQUESTS] of { byte };

/* Used within one step only, hence no part of the state. */
hidden byte message;

proctype server() {
  byte answering; /* the request that is about to be answered; 0: none */

  skip;
end:
  do
  :: d_step { answering != 0 ->
       answers[(answering - 1) / REQUESTS]!((answering - 1) % REQUESTS);
       answering = 0
     }
  :: d_step { answering == 0 && nempty(requests) -> requests?answering }
  od
}

proctype client(byte id) {
  byte sent;
  byte answered;

  skip;
end:
  do
  :: d_step { MAY_ASK -> requests!(1 + id * REQUESTS + sent); sent++ }
  :: d_step { !MAY_ASK && nempty(answers[id]) ->
       answers[id]?message;
       assert(message == answered);
       answered++
     }
  od
}

init {
  atomic {
    run server();
    message = 0;
    do
    :: message < N -> run client(message); message++
    :: else -> break
    od
  }
}
