// A device that stays is configured.
spec DevicesAreConfigured observes eDeviceAttached, eDeviceDetached, eDeviceConfigured {
  var waiting: set[int];

  start cold state Quiet {
    on eDeviceAttached goto Waiting with (port: int) {
      waiting += (port);
    }
    ignore eDeviceDetached;
  }

  hot state Waiting {
    on eDeviceAttached do (port: int) {
      waiting += (port);
    }
    on eDeviceDetached, eDeviceConfigured do (port: int) {
      waiting -= (port);
      if (sizeof(waiting) == 0) {
        goto Quiet;
      }
    }
  }
}

// The power manager gets its answers.
spec PowerTransitionsComplete observes eHubSuspend, eHubSuspended, eHubResume, eHubResumed {
  start cold state Quiet {
    on eHubSuspend, eHubResume goto Asked;
  }

  hot state Asked {
    on eHubSuspended, eHubResumed goto Quiet;
  }
}
