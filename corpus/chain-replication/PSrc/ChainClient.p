// A client of the chain: makes one request after the other, updates and queries in turn.
//
// A request is lost if the server that it was sent to fails before looking at it. So when the chain has a new head or
// tail the client sends again what has not been answered. Nothing is lost otherwise, but an answer may come twice.

machine ChainClient {
  var head: machine;
  var tail: machine;
  var key: string;
  var request: int;
  var last: int;
  var mistake: ChainMistake;

  start state Arriving {
    entry (order: (master: machine, key: string, requests: int, mistake: ChainMistake)) {
      key = order.key;
      last = order.requests;
      mistake = order.mistake;
      send order.master, eRegister, this;
    }
    on eEnds goto Asking with remember;
  }

  state Asking {
    entry {
      request = request + 1;
      if (request <= last) {
        ask();
      } else if (mistake == EXPECT_ONE_ANSWER) {
        goto DoneForGood;
      } else {
        goto Done;
      }
    }
    on eEnds do (ends: (head: machine, tail: machine)) {
      remember(ends);
      ask();
    }
    on eUpdated do (answer: tNumbered) {
      if (answer.update.request == request || mistake == EXPECT_ONE_ANSWER) {
        goto Asking;
      }
    }
    on eResult do (answer: tResult) {
      if (answer.request == request) {
        goto Asking;
      }
    }
  }

  state Done {
    ignore eEnds, eUpdated, eResult;
  }

  // Only for EXPECT_ONE_ANSWER.
  state DoneForGood {
    ignore eEnds;
  }

  fun remember(ends: (head: machine, tail: machine)) {
    head = ends.head;
    tail = ends.tail;
  }

  // Requests with odd numbers are updates.
  fun ask() {
    if (request % 2 == 1) {
      send head, eUpdate, (client = this, request = request, key = key, value = request);
    } else if (mistake == QUERY_THE_HEAD) {
      send head, eQuery, (client = this, request = request, key = key);
    } else {
      send tail, eQuery, (client = this, request = request, key = key);
    }
  }
}
