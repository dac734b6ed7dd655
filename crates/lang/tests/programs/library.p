// A lending library: readers borrow and return books, a clerk answers, a spec watches.
// Uses every form of machine, state, handler and statement.

event eBorrow: (reader: Reader, book: int);
event eReturn: (reader: Reader, book: int);
event eGranted: int;
event eRefused: (book: int, reason: Reason);
event eClosing;
event eTick;

enum Reason { LENT, LOST, CLOSED }

/* A clerk owns the shelves.
   It defers nothing while open. */
machine Clerk
  receives eBorrow, eReturn, eClosing, eTick, halt;
  sends eGranted, eRefused;
{
  var shelves: map[int, bool];
  var waiting: seq[(reader: Reader, book: int)];
  var banned, late: set[Reader];
  var ticks: int;

  start state Opening {
    entry (books: seq[int]) {
      var book: int;
      foreach (book in books) {
        shelves += (book, true);
      }
      goto Open;
    }
    defer eBorrow, eReturn;
    ignore eTick, halt;
  }

  cold state Open {
    entry LockUp;
    exit { print format("closing after {0} ticks", ticks); }
    on eBorrow do (request: (reader: Reader, book: int)) {
      if (request.reader in banned) {
        send request.reader, eRefused, (book = request.book, reason = LOST);
        return;
      }
      if (!(request.book in shelves))
        send request.reader, eRefused, (book = request.book, reason = LOST);
      else if (shelves[request.book]) {
        shelves[request.book] = false;
        send request.reader, eGranted, request.book;
      } else {
        waiting += (sizeof(waiting), request);
      }
    }
    on eReturn do TakeBack;
    on eTick, null do { ticks = ticks + 1; }
    on eClosing goto Closed with CountDown;
    on halt goto Closed;
  }

  hot state Closed {
    entry CountDown;
    exit LockUp;
    on eClosing goto Closed with (payload: any) { LockUp(); }
    on eTick goto Opening with { ; }
    ignore eBorrow;
  }

  fun TakeBack(back: (reader: Reader, book: int)) {
    var next: (reader: Reader, book: int);
    shelves[back.book] = true;
    while (sizeof(waiting) > 0) {
      next = waiting[0];
      waiting -= 0;
      if (next.book == back.book) { raise eBorrow, next; }
      if (next.reader in late) continue;
      break;
    }
    banned -= (back.reader);
    late += (back.reader);
  }

  fun CountDown() {
    assert ticks >= 0, "time runs backwards";
    assert ticks < 1000;
    ticks = default(int);
  }

  fun LockUp() { announce eClosing; announce eGranted, -1; }
}

machine Reader {
  var clerk: Clerk;
  var book: int;

  start state Init {
    entry (input: (clerk: Clerk, book: int)) {
      clerk = input.clerk;
      book = input.book;
      goto Asking, 3;
    }
  }

  state Asking {
    entry (tries: int) {
      var answer: Reason;
      if (tries == 0) raise halt;
      send clerk, eBorrow, (reader = this, book = book);
      receive {
        case eGranted: (got: int) {
          var again: bool;
          again = got != book;
          assert !again, format("got {0} for {1}", got, book);
          send clerk, eReturn, (reader = this, book = got);
        }
        case eRefused: (refusal: (book: int, reason: Reason)) {
          answer = refusal.reason;
        }
        case eTick, null: { }
      }
      if (answer == CLOSED && $) { goto Asking, tries - 1; }
      new Reader((clerk = clerk, book = book + 1));
    }
  }
}

fun Foreign(x: int): int;
fun Maker() creates Reader;
fun Makers(x: int): machine creates Reader, Clerk;
fun Helper(a: int, b: seq[int]): (int, seq[int]) { return (a, b); }

spec EveryLoanEnds observes eBorrow, eGranted, eReturn, eClosing {
  var lent: int;
  start cold state Quiet {
    on eGranted goto Lent with { lent = lent + 1; }
    ignore eBorrow, eReturn, eClosing;
  }
  hot state Lent {
    on eGranted do { lent = lent + 1; }
    on eReturn do {
      lent = lent - 1;
      if (lent == 0) { goto Quiet; }
    }
    ignore eBorrow, eClosing;
  }
}

scenario AnybodyRefused observes eRefused {
  start state Waiting { on eRefused goto Seen; }
  cold state Seen { ignore eRefused; }
}
