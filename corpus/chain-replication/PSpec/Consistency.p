// The chain as clients see it: one register for each key, read and written as if there were a single server.
//
// The updates that are answered have one order for all, without holes. A query sees a beginning of that order: at
// least the updates that were answered before it was asked, and only updates that have been answered.

spec Consistency observes eUpdated, eQuery, eResult {
  // What has been answered, in the order of the numbers.
  var stable: seq[tUpdate];
  // What the running query of each client must see.
  var asked: map[machine, (request: int, updates: int)];

  start state Watching {
    on eUpdated do (answer: tNumbered) {
      assert answer.number <= sizeof(stable) + 1,
        format("update {0} is answered after update {1}", answer.number, sizeof(stable));
      if (answer.number > sizeof(stable)) {
        stable += (sizeof(stable), answer.update);
      }
      assert stable[answer.number - 1] == answer.update,
        format("two updates are answered as number {0}", answer.number);
    }

    on eQuery do (query: tQuery) {
      if (!(query.client in asked) || asked[query.client].request != query.request) {
        asked[query.client] = (request = query.request, updates = sizeof(stable));
      }
    }

    on eResult do (result: tResult) {
      assert result.updates <= sizeof(stable),
        format("a query sees update {0}, which is not stable yet", result.updates);
      if (asked[result.client].request == result.request) {
        assert result.updates >= asked[result.client].updates,
          format("a query sees {0} updates, though {1} had been answered before", result.updates,
            asked[result.client].updates);
      }
      assert result.value == valueOf(result.key, result.updates),
        format("a query finds {0} where {1} was written", result.value, valueOf(result.key, result.updates));
    }
  }

  fun valueOf(key: string, updates: int): data {
    var value: data;
    var index: int;
    while (index < updates) {
      if (stable[index].key == key) {
        value = stable[index].value;
      }
      index = index + 1;
    }
    return value;
  }
}
