// What only the verifier uses, and its words as ordinary names.

type Round = int;
event ePropose: (round: Round, from: Node);
event eAccept: Round;

pure nodes(): set[Node];
pure next(r: Round): Round = r + 1;
pure before(a: Round, b: Round): bool = a < b;

axiom forall (r: Round) :: before(r, next(r));
axiom exists (n: Node, r: Round) :: n in nodes() && n.round == r;
init-condition forall (m: machine) :: m in nodes() == m is Node;

invariant rising: forall (e: ePropose) :: inflight e ==> e.round >= 0;
invariant paired: forall (e: eAccept, n: Node) ::
  sent e && e targets n ==> exists (p: ePropose) :: sent p && p.from == n <==> !inflight p;

Lemma basics {
  invariant positive: forall (n: Node) :: n.round >= 0;
  invariant known: forall (n: Node) :: n is Node ==> n in nodes();
}
Theorem safety { invariant one: true; }
Lemma empty { }

Proof {
  prove basics;
  prove safety using basics, rising except known;
  prove default using *;
}
Proof second { prove * using safety except paired, one; prove basics, empty; }
Proof nothing { }

fun Oracle(r: Round) return (answer: Round);
  requires r >= 0;
  requires before(0, r);
  ensures answer == next(r);
fun Coin() return (side: bool);
fun Checked(x: int) requires x > 0; ensures true;
fun Silent()

machine Node {
  var round: Round;
  start state Idle {
    entry {
      var n: Node;
      foreach (n in nodes())
        invariant forall new (e: event) :: e is ePropose;
        invariant round >= 0;
      {
        send n, ePropose, (round = round, from = this);
      }
      assume round > 0;
      assume round < 10, "small";
    }
    on ePropose do (p: (round: Round, from: Node)) { send p.from, eAccept, p.round; }
    ignore eAccept;
  }
}

machine invariant {
  var is, targets, sent, inflight, assume, using, except: int;
  var forall: seq[int];
  var exists, pure, axiom, requires, ensures: bool;
  var param, scenario, pairwise, wise, paramtest, safe: (prove: int, Proof: (Lemma: int, Theorem: int));
  start state Proof {
    entry {
      sent = inflight - 1;
      inflight = sent + is * targets;
      assume = forall[0];
      forall[0] = assume;
      param.Proof.Lemma = wise.prove;
      exists = pure && axiom || !requires;
      foreach (is in forall) targets = is;
      init(condition(1) - 2);
      if (exists) sent = prove(inflight) - (sent);
    }
  }
  fun prove(sent: int): int { return -sent; }
  fun init(condition: int) { }
  fun condition(init: int): int { return init-condition(3); }
}
