// Everything but the passing of time: tests choose whether there are timeouts.
module TwoPhaseCommit = { Client, Coordinator, Participant };
module Timeouts = { Timer };
