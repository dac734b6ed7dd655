// After a token was lost, a new one appears.

spec LostTokenIsReplaced observes eTokenLost, eTakesToken {
  start cold state Circulating {
    on eTokenLost goto Lost;
    ignore eTakesToken;
  }

  hot state Lost {
    on eTakesToken goto Circulating;
  }
}
