// The planner of one car: decides where it goes next, and who may get in.
//
// Orders are kept by age. The oldest one decides: its passenger is fetched, or brought to the destination. Others are
// taken along wherever the car stops, if that leaves a seat for the passenger of the oldest order. If that passenger
// may not enter with those who are in the car, these are let out first, and nobody gets in. A very important person in
// the car comes before all this.

type tOrder = (call: tCall, isRiding: bool);

type tPlannerConfig = (number: int, capacity: int, mistake: tMistake);

machine Planner {
  var number: int;
  var capacity: int;
  var mistake: tMistake;
  var car: Car;

  // Oldest first.
  var orders: seq[tOrder];
  var floor: int;
  // Who has been told to get out or invited in, and has not done so yet.
  var leaving: set[int];
  var entering: set[int];

  start state Starting {
    entry (config: tPlannerConfig) {
      number = config.number;
      capacity = config.capacity;
      mistake = config.mistake;
      car = new Car(this);
      goto Idle;
    }
  }

  state Idle {
    on eCall do (call: tCall) {
      take(call);
      goto LettingOut;
    }
  }

  state LettingOut {
    entry {
      var order: tOrder;
      announce eStopsAt, (car = number, floor = floor);
      foreach (order in orders) {
        if (order.isRiding && order.call.destination == floor) {
          leaving += (order.call.id);
        }
      }
      foreach (order in orders) {
        if (order.call.id in leaving) {
          send order.call.passenger, eGetOut, car;
        }
      }
      checkOut();
    }
    on eLeft do (id: int) {
      announce eServed, (car = number, call = orders[find(id)].call);
      remove(id);
      leaving -= (id);
      checkOut();
    }
    on eCall do take;
  }

  state LettingIn {
    entry {
      var order: tOrder;
      if (oldestMustWait()) {
        goto Moving;
      }
      foreach (order in orders) {
        if (!order.isRiding && order.call.origin == floor) {
          consider(order.call);
        }
      }
      foreach (order in orders) {
        if (order.call.id in entering) {
          send order.call.passenger, eInvite, (planner = this, car = car);
        }
      }
      checkIn();
    }
    on eEntered do (id: int) {
      rides(id);
      entering -= (id);
      if (mistake == CLOSES_BEHIND_FIRST) {
        entering = default(set[int]);
      }
      checkIn();
    }
    on eDecline do (id: int) {
      announce eWithdrawn, (car = number, call = orders[find(id)].call);
      remove(id);
      entering -= (id);
      checkIn();
    }
    on eCall do take;
  }

  state Moving {
    entry {
      if (sizeof(orders) == 0) {
        goto Idle;
      }
      send car, eGoTo, nextStop();
    }
    on eArrived do (at: int) {
      floor = at;
      goto LettingOut;
    }
    on eCall do take;
  }

  fun checkOut() {
    if (sizeof(leaving) == 0) {
      goto LettingIn;
    }
  }

  fun checkIn() {
    if (sizeof(entering) == 0) {
      goto Moving;
    }
  }

  fun take(call: tCall) {
    announce eOrdered, (car = number, call = call);
    orders += (sizeof(orders), (call = call, isRiding = false));
  }

  fun rides(id: int) {
    var place: int;
    place = find(id);
    orders[place].isRiding = true;
    announce eRides, (car = number, call = orders[place].call);
  }

  // Invites the caller if there is room and nobody in the way.
  fun consider(call: tCall) {
    if (fits(call)) {
      entering += (call.id);
    } else if (mistake == FORGETS_WHO_DOES_NOT_FIT) {
      remove(call.id);
    }
  }

  // Whether the caller may ride with those who are in the car, about to enter it, or before all others in the list.
  fun fits(call: tCall): bool {
    var order: tOrder;
    var others: int;
    foreach (order in orders) {
      if (order.isRiding || order.call.id in entering || isExpected(order, call)) {
        others = others + 1;
        if (areInConflict(order.call.kind, call.kind) && (order.isRiding || mistake != FORGETS_THE_INVITED)) {
          return false;
        }
      }
    }
    return others < capacity;
  }

  // Whether the order is the oldest, so that the caller must leave a seat for its passenger.
  fun isExpected(order: tOrder, call: tCall): bool {
    return mistake != GIVES_SEAT_AWAY && order == orders[0] && order.call != call;
  }

  // Whether the oldest order is that of somebody who cannot enter before others leave.
  fun oldestMustWait(): bool {
    return sizeof(orders) > 0 && !orders[0].isRiding && !fits(orders[0].call);
  }

  fun nextStop(): int {
    var order: tOrder;
    foreach (order in orders) {
      if (order.isRiding && order.call.kind == VIP && mistake != FORGETS_WHO_IS_IMPORTANT) {
        return order.call.destination;
      }
    }
    if (mistake == PREFERS_RIDERS || oldestMustWait()) {
      foreach (order in orders) {
        if (order.isRiding) {
          return order.call.destination;
        }
      }
    }
    if (orders[0].isRiding) {
      return orders[0].call.destination;
    }
    return orders[0].call.origin;
  }

  fun find(id: int): int {
    var place: int;
    while (orders[place].call.id != id) {
      place = place + 1;
    }
    return place;
  }

  fun remove(id: int) {
    orders -= (find(id));
  }
}

fun areInConflict(one: tKind, other: tKind): bool {
  return (one == GROUP_A && other == GROUP_B) || (one == GROUP_B && other == GROUP_A);
}
