// There is at most one root, it is nobody's child, and everybody else has at most one parent.

spec OneRoot observes eRoot, eChild {
  var roots: set[int];
  var parents: map[Node, Node];

  start state Watching {
    on eRoot do (number: int) {
      roots += (number);
      assert sizeof(roots) == 1, format("there are {0} roots", sizeof(roots));
    }
    on eChild do (edge: (child: Node, parent: Node)) {
      assert !(edge.child in parents), format("{0} has two parents", edge.child);
      assert !(edge.parent in parents) || parents[edge.parent] != edge.child,
        format("{0} and {1} are each other's parents", edge.child, edge.parent);
      parents[edge.child] = edge.parent;
    }
  }
}
