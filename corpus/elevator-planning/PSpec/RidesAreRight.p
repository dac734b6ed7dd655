// Who rides with whom, and where the car stops meanwhile.
spec RidesAreRight observes eRides, eServed, eStopsAt {
  // Who is in which car.
  var riders: map[int, map[int, tCall]];

  start state Watching {
    on eRides do (ride: (car: int, call: tCall)) {
      var other: int;
      if (!(ride.car in riders)) {
        riders[ride.car] = default(map[int, tCall]);
      }
      foreach (other in keys(riders[ride.car])) {
        assert !areInConflict(riders[ride.car][other].kind, ride.call.kind),
          format("passengers {0} and {1} are in the same car", other, ride.call.id);
      }
      riders[ride.car][ride.call.id] = ride.call;
    }
    on eServed do (ride: (car: int, call: tCall)) {
      riders[ride.car] -= (ride.call.id);
    }
    on eStopsAt do (stop: (car: int, floor: int)) {
      var id: int;
      if (!(stop.car in riders)) {
        return;
      }
      foreach (id in keys(riders[stop.car])) {
        assert riders[stop.car][id].kind != VIP || riders[stop.car][id].destination == stop.floor,
          format("a car with the very important passenger {0} stops on floor {1}", id, stop.floor);
      }
    }
  }
}
