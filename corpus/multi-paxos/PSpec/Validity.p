// Only commands of clients are executed, apart from those that do nothing.

spec Validity observes eCommand, eApplied {
  var asked: set[tCommand];

  start state Watching {
    on eCommand do (command: tCommand) {
      asked += (command);
    }
    on eApplied do (news: (replica: machine, slot: int, command: tCommand)) {
      assert news.command.client == null || news.command in asked,
        format("{0} executes a command that nobody gave", news.replica);
    }
  }
}
