// What clients and the bank say to each other.

enum Outcome { GRANTED, REFUSED }

type tWithdrawal = (client: Client, number: int, amount: int);
type tAnswer = (client: Client, number: int, outcome: Outcome, balance: int);

// A client asks for money; each of its requests has a number.
event eWithdraw: tWithdrawal;

// The bank answers every request, with the balance after it.
event eAnswer: tAnswer;

// The bank has opened with this balance; only specs hear of it.
event eOpened: int;
