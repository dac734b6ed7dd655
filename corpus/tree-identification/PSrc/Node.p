// A node of a serial bus during tree identification: the cables between the nodes form a tree without direction, and
// the nodes have to agree on a root and on who is whose parent.
//
// A node waits until all its neighbours but one have asked it to be their parent, and then asks the last. When all have
// asked, it is the root. Two neighbours may ask each other at the same time: this is root contention. Each then tosses
// a coin, and either asks again at once or waits for a while first; who is asked while waiting becomes the root.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // A node does not notice that it has asked the very neighbour that asks it.
  NO_CONTENTION,
  // A node asks when two neighbours are silent still.
  ASKS_EARLY,
  // A node that is root already takes a late timeout as leave to ask again.
  LATE_TIMEOUT,
  // A node that has been in contention three times loses patience and makes itself the root.
  GIVES_UP,
  // The coin always falls on the same side.
  SAME_CHOICE
}

type tNodeConfig = (number: int, forceRoot: bool, detectsLoops: bool, flaw: Flaw);

// The neighbours at a node's ports.
event eConnect: set[Node];

// "You are my parent", asked for, and "you are my child", granted; each with its sender.
event eParentNotify: Node;
event eChildNotify: Node;

// For specs: what became of a node.
event eRoot: int;
event eChild: (child: Node, parent: Node);
event eLoop: int;

machine Node {
  var number: int;
  // Whether this node should rather become the root than somebody's child.
  var forceRoot: bool;
  var detectsLoops: bool;
  var flaw: Flaw;
  var timer: Timer;

  // Neighbours that have not asked yet.
  var silent: set[Node];
  // The neighbour that this node has asked.
  var parent: Node;
  // How often it was in contention, for GIVES_UP.
  var contentions: int;

  start state Unconnected {
    defer eParentNotify;
    entry (config: tNodeConfig) {
      number = config.number;
      forceRoot = config.forceRoot;
      detectsLoops = config.detectsLoops;
      flaw = config.flaw;
    }
    on eConnect goto Waiting with (neighbours: set[Node]) {
      silent = neighbours;
      if (detectsLoops) {
        startTimer();
      }
    }
  }

  // Some neighbours have not asked yet.
  state Waiting {
    entry { decide(); }
    on eParentNotify do (neighbour: Node) {
      adopt(neighbour);
      decide();
    }
    // Nobody asks, so everybody waits for somebody else: the cables form a loop.
    on eTimeout goto InLoop;
  }

  // One neighbour has not asked yet, and shall have a little more time to do so.
  state Hesitating {
    entry { startTimer(); }
    on eTimeout goto Asking;
    on eParentNotify goto Root with adopt;
  }

  state Asking {
    entry { send parent, eParentNotify, this; }
    on eChildNotify goto Child;
    on eParentNotify do (neighbour: Node) {
      assert neighbour == parent, format("node {0} is asked by a neighbour that it has not waited for", number);
      if (flaw == NO_CONTENTION) {
        adopt(neighbour);
        goto Root;
      }
      goto Contending;
    }
    on eTimeout goto InLoop;
  }

  // The coin is a fair one.
  state Contending {
    entry {
      if (losesPatience()) {
        goto Root;
      }
      if (flaw == SAME_CHOICE || $$) {
        goto Asking;
      }
      startTimer();
    }
    on eTimeout goto Asking;
    on eParentNotify goto Root with adopt;
  }

  state Root {
    entry { announce eRoot, number; }
    on eTimeout do {
      if (flaw == LATE_TIMEOUT) {
        goto Asking;
      }
    }
  }

  state Child {
    entry { announce eChild, (child = this, parent = parent); }
    ignore eTimeout;
  }

  state InLoop {
    ignore eParentNotify, eChildNotify;
    entry { announce eLoop, number; }
  }

  // Most nodes never need a timer, so there is none until one is needed.
  fun startTimer() {
    if (timer == default(Timer)) {
      timer = new Timer(this);
    }
    send timer, eStartTimer;
  }

  fun losesPatience(): bool {
    if (flaw == GIVES_UP) {
      contentions = contentions + 1;
    }
    return contentions == 3;
  }

  fun adopt(neighbour: Node) {
    assert neighbour in silent, format("node {0} is asked twice by one neighbour", number);
    silent -= (neighbour);
    send neighbour, eChildNotify, this;
  }

  fun decide() {
    var neighbour: Node;
    if (sizeof(silent) == 0) {
      goto Root;
    }
    if (sizeof(silent) == 1 || (flaw == ASKS_EARLY && sizeof(silent) == 2)) {
      foreach (neighbour in silent) {
        parent = neighbour;
      }
      if (forceRoot) {
        goto Hesitating;
      }
      goto Asking;
    }
  }
}
