// What an observed-remove set holds, said without tags: a replica holds an element exactly if it has taken in an add of
// it which no remove that it has taken in had found where it was made. Replicas that have taken in the same operations
// thus hold the same elements.

spec ObservedRemove observes eMade, eTakenIn {
  // Operations that each replica has taken in.
  var seen: map[int, set[tId]];
  // The element of every add, and the adds that every remove found.
  var elementOf: map[tId, int];
  var removes: map[tId, set[tId]];

  start state Watching {
    on eMade do (operation: tOperation) {
      if (operation.kind == ADD) {
        elementOf[operation.id] = operation.element;
      } else {
        removes[operation.id] = addsFoundBy(operation.id.replica, operation.element);
      }
    }

    on eTakenIn do (news: (replica: int, operation: tId, holds: set[int])) {
      if (!(news.replica in seen)) {
        seen[news.replica] = default(set[tId]);
      }
      seen[news.replica] += (news.operation);
      assert news.holds == shouldHold(news.replica),
        format("replica {0} holds {1}, and should hold {2}", news.replica, news.holds, shouldHold(news.replica));
    }
  }

  fun addsFoundBy(replica: int, element: int): set[tId] {
    var adds: set[tId];
    var operation: tId;
    if (replica in seen) {
      foreach (operation in seen[replica]) {
        if (operation in elementOf && elementOf[operation] == element && !isRemoved(operation, replica)) {
          adds += (operation);
        }
      }
    }
    return adds;
  }

  fun shouldHold(replica: int): set[int] {
    var elements: set[int];
    var operation: tId;
    foreach (operation in seen[replica]) {
      if (operation in elementOf && !isRemoved(operation, replica)) {
        elements += (elementOf[operation]);
      }
    }
    return elements;
  }

  fun isRemoved(add: tId, replica: int): bool {
    var operation: tId;
    foreach (operation in seen[replica]) {
      if (operation in removes && add in removes[operation]) {
        return true;
      }
    }
    return false;
  }
}
