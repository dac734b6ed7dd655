// The buffer: a piece of memory with room for so many items. It relies on its users to be alone, and to look before
// they put or take.

type tItem = (producer: int, number: int);

event eCount: machine;
event eCountIs: int;
event ePut: tItem;
event eTake: machine;
event eTaken: tItem;

machine Buffer {
  var capacity: int;
  var items: seq[tItem];

  start state Serving {
    entry (room: int) {
      capacity = room;
    }

    on eCount do (thread: machine) {
      send thread, eCountIs, sizeof(items);
    }

    on ePut do (item: tItem) {
      assert sizeof(items) < capacity, format("an item is put into a buffer that is full with {0}", capacity);
      items += (sizeof(items), item);
    }

    on eTake do (thread: machine) {
      var item: tItem;
      assert sizeof(items) > 0, "an item is taken from an empty buffer";
      item = items[0];
      items -= (0);
      send thread, eTaken, item;
    }
  }
}

fun count(buffer: Buffer, thread: machine): int {
  var result: int;
  send buffer, eCount, thread;
  receive {
    case eCountIs: (items: int) { result = items; }
  }
  return result;
}
