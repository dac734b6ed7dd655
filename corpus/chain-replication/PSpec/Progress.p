// Every request is answered, as long as one server is left. Hot while a client waits.
//
// A client may send a request again while the answer is on its way; that does not make it wait again.

spec Progress observes eUpdate, eUpdated, eQuery, eResult {
  var waiting: set[(client: machine, request: int)];
  var answered: set[(client: machine, request: int)];

  start cold state Quiet {
    on eUpdate do (update: tUpdate) { begin(update.client, update.request); }
    on eQuery do (query: tQuery) { begin(query.client, query.request); }
    ignore eUpdated, eResult;
  }

  hot state Waiting {
    on eUpdate do (update: tUpdate) { begin(update.client, update.request); }
    on eQuery do (query: tQuery) { begin(query.client, query.request); }
    on eUpdated do (answer: tNumbered) { end(answer.update.client, answer.update.request); }
    on eResult do (answer: tResult) { end(answer.client, answer.request); }
  }

  fun begin(client: machine, request: int) {
    if (!((client = client, request = request) in answered)) {
      waiting += ((client = client, request = request));
      goto Waiting;
    }
  }

  fun end(client: machine, request: int) {
    waiting -= ((client = client, request = request));
    answered += ((client = client, request = request));
    if (sizeof(waiting) == 0) {
      goto Quiet;
    }
  }
}
