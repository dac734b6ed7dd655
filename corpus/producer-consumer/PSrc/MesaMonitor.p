// A monitor with condition variables, after Lampson and Redell: a signal moves one waiting thread to the back of the
// queue at the entrance, and the signaller goes on. Between the signal and the moment when the woken thread is inside
// again, others may enter; what it waited for may be gone by then.

enum Condition { NOT_FULL, NOT_EMPTY }

type tWait = (thread: machine, condition: Condition);

event eEnter: machine;
event eInside;
event eLeave;
event eWait: tWait;
event eSignal: Condition;

machine MesaMonitor {
  // Who waits at the entrance, first come first served.
  var entrance: seq[machine];
  var waiting: map[Condition, seq[machine]];

  start state Opening {
    entry {
      waiting[NOT_FULL] = default(seq[machine]);
      waiting[NOT_EMPTY] = default(seq[machine]);
      goto Free;
    }
  }

  state Free {
    entry {
      if (sizeof(entrance) > 0) {
        goto Occupied, takeFirst();
      }
    }
    on eEnter goto Occupied;
  }

  state Occupied {
    entry (thread: machine) {
      send thread, eInside;
    }

    on eEnter do (thread: machine) {
      entrance += (sizeof(entrance), thread);
    }

    on eLeave goto Free;

    on eWait goto Free with (wait: tWait) {
      waiting[wait.condition] += (sizeof(waiting[wait.condition]), wait.thread);
    }

    on eSignal do (condition: Condition) {
      if (sizeof(waiting[condition]) > 0) {
        entrance += (sizeof(entrance), waiting[condition][0]);
        waiting[condition] -= (0);
      }
    }
  }

  fun takeFirst(): machine {
    var thread: machine;
    thread = entrance[0];
    entrance -= (0);
    return thread;
  }
}

// What threads do with a monitor.

fun enter(monitor: MesaMonitor, thread: machine) {
  send monitor, eEnter, thread;
  receive {
    case eInside: { }
  }
}

fun leave(monitor: MesaMonitor) {
  send monitor, eLeave;
}

// Leaves the monitor until somebody signals, and comes back inside.
fun waitFor(monitor: MesaMonitor, condition: Condition, thread: machine) {
  send monitor, eWait, (thread = thread, condition = condition);
  receive {
    case eInside: { }
  }
}

fun signal(monitor: MesaMonitor, condition: Condition) {
  send monitor, eSignal, condition;
}
