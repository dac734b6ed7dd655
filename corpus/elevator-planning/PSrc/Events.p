// What passes between passengers, the dispatcher, planners and cars.

// Very important persons ride without a stop in between; people of the two groups never ride together.
enum tKind { NORMAL, VIP, GROUP_A, GROUP_B }

// A passenger says in the hall where it wants to go.
type tCall = (passenger: machine, id: int, kind: tKind, origin: int, destination: int);
event eCall: tCall;

// The planner invites a passenger into the car, and tells it to get out.
event eInvite: (planner: machine, car: machine);
event eGetOut: machine;

// A passenger has changed its mind; or enters or leaves the car, which tells the planner.
event eDecline: int;
event eEnter: int;
event eLeave: int;
event eEntered: int;
event eLeft: int;

// From the planner to the car and back.
event eGoTo: int;
event eArrived: int;

// Announced by a planner, with the number of its car: it has a new order; the passenger of an order is in the car, or
// out of it; an order is withdrawn; the car stops at a floor.
event eOrdered: (car: int, call: tCall);
event eRides: (car: int, call: tCall);
event eServed: (car: int, call: tCall);
event eWithdrawn: (car: int, call: tCall);
event eStopsAt: (car: int, floor: int);

// Mistakes that a planner can be made with.
enum tMistake {
  NO_MISTAKE,
  // The car leaves when the first of those who were invited is in.
  CLOSES_BEHIND_FIRST,
  // Of several who are invited at once, each is compared with the people in the car only.
  FORGETS_THE_INVITED,
  // A very important person is brought to its floor when its turn comes.
  FORGETS_WHO_IS_IMPORTANT,
  // Who does not fit into the car is forgotten.
  FORGETS_WHO_DOES_NOT_FIT,
  // The people in the car are served before those who wait.
  PREFERS_RIDERS,
  // No seat is kept for the passenger of the oldest order.
  GIVES_SEAT_AWAY
}
