//! Hand-made runs for texts.

use fabius_trace::{BugSummary, Choice, Happening, Machine, Run, Step};

/// Builds a run step by step.
#[derive(Default)]
pub(crate) struct Story {
    run: Run,
}

impl Story {
    /// Begins with one machine.
    pub(crate) fn begin(name: &str) -> Story {
        let mut story = Story::default();
        let machine = story.machine(name);
        story.run.start.push(Happening::Created { machine, payload: None });
        story
    }

    /// A machine by its name and number: a new one if the number is the next.
    pub(crate) fn machine(&mut self, name: &str) -> Machine {
        let machine = Machine { name: name.to_owned(), number: self.run.machines.len() as u32 + 1 };
        self.run.machines.push(machine.clone());
        machine
    }

    /// A step of the machine with this number.
    pub(crate) fn step(&mut self, number: u32, happenings: Vec<Happening>) -> &mut Story {
        let by = self.run.machines[number as usize - 1].clone();
        self.run.choices.push(Choice::Schedule(by.clone()));
        self.run.steps.push(Step { by: Some(by), happenings });
        self
    }

    pub(crate) fn creates(&mut self, name: &str) -> Happening {
        Happening::Created { machine: self.machine(name), payload: None }
    }

    pub(crate) fn sends(&self, number: u32, event: &str, payload: Option<&str>) -> Happening {
        let to = self.run.machines[number as usize - 1].clone();
        Happening::Sent { to, event: event.to_owned(), payload: payload.map(str::to_owned), dropped: false }
    }

    pub(crate) fn into_run(self) -> Run {
        self.run
    }
}

pub(crate) fn receives(event: &str, payload: Option<&str>) -> Happening {
    Happening::Received { event: event.to_owned(), payload: payload.map(str::to_owned) }
}

pub(crate) fn enters(from: Option<&str>, to: &str) -> Happening {
    Happening::Entered { from: from.map(str::to_owned), to: to.to_owned() }
}

/// Two-phase commit with two participants: the coordinator commits after one vote.
pub(crate) fn two_phase_commit() -> (Run, BugSummary) {
    let mut story = Story::begin("TestDriver");
    let created = vec![story.creates("Coordinator"), story.creates("Client")];
    story.step(1, created);
    let created = vec![enters(None, "Init"), story.creates("Participant"), story.creates("Participant")];
    story.step(2, created);
    let sent = vec![enters(None, "Send"), story.sends(2, "eWriteReq", Some("(key: \"a\", value: 3)"))];
    story.step(3, sent);
    let sent = vec![
        receives("eWriteReq", Some("(key: \"a\", value: 3)")),
        enters(Some("Init"), "Waiting"),
        story.sends(4, "ePrepare", Some("1")),
    ];
    story.step(2, sent);
    let sent = vec![story.sends(5, "ePrepare", Some("1"))];
    story.step(2, sent);
    story.step(5, vec![receives("ePrepare", Some("1"))]);
    story.step(5, vec![Happening::Chose { value: "true".to_owned() }]);
    let sent =
        vec![Happening::Printed { text: "voting\nyes".to_owned() }, story.sends(2, "eVote", Some("true"))];
    story.step(5, sent);
    let sent = vec![
        receives("eVote", Some("true")),
        enters(Some("Waiting"), "Init"),
        Happening::Announced { event: "eCommitted".to_owned(), payload: Some("1".to_owned()) },
        Happening::MonitorEntered {
            monitor: "Atomicity".to_owned(),
            from: Some("Open".to_owned()),
            to: "Done".to_owned(),
        },
    ];
    story.step(2, sent);
    let timer = story.sends(2, "eTick", None);
    story.step(2, vec![timer, Happening::Raised { event: "eDone".to_owned(), payload: None }]);
    let mut lost = story.sends(4, "eCommit", Some("1"));
    if let Happening::Sent { dropped, .. } = &mut lost {
        *dropped = true;
    }
    story.step(4, vec![Happening::Waiting { events: vec!["eCommit".into(), "eAbort".into()] }]);
    story.step(4, vec![Happening::Halted]);
    story.step(2, vec![lost]);
    story.step(1, Vec::new());
    let bug = BugSummary {
        kind: "assertion".to_owned(),
        message: "transaction 1 committed with 1 of 2 votes".to_owned(),
        machine: Some("Atomicity".to_owned()),
        ..BugSummary::default()
    };
    (story.into_run(), bug)
}

/// A ring of machines that pass a token around.
pub(crate) fn ring(machines: u32, rounds: u32) -> Run {
    let mut story = Story::begin("Main");
    let created = (0..machines).map(|_| story.creates("RingNode")).collect();
    story.step(1, created);
    for _ in 0..rounds {
        for node in 0..machines {
            let sent = vec![receives("eToken", None), story.sends((node + 1) % machines + 2, "eToken", None)];
            story.step(node + 2, sent);
        }
    }
    story.into_run()
}
