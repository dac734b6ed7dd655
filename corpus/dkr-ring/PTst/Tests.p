module Ring = { Node, Cable };

test param (nodes in [1, 2, 3, 4, 5, 6]) tcAnyOrder [main=Correct]:
  assert LargestIsElected, EverybodyKnows in (union Ring, { Correct });

test param (nodes in [3, 4, 5]) tcKeepsOwnValue [main=KeepsOwnValue]:
  assert LargestIsElected in (union Ring, { KeepsOwnValue });

test param (nodes in [4, 5]) tcRelayDropsSecond [main=RelayDropsSecond]:
  assert EverybodyKnows in (union Ring, { RelayDropsSecond });

test param (nodes in [3, 4, 5]) tcRelayKeepsWinner [main=RelayKeepsWinner]:
  assert EverybodyKnows in (union Ring, { RelayKeepsWinner });

test param (nodes in [3, 4, 5]) tcSecondCable [main=SecondCable]:
  assert LargestIsElected in (union Ring, { SecondCable });
