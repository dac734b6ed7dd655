//! The tables: their rows, columns, and the figures that the papers print.
//!
//! A row is a bug of the corpus. Where a program has several, its README says which stands for the row; sizes are the
//! largest that the corpus has for it. The figures of paper 001 are lost in the text that we have.

/// A table of a paper.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// What the numbers are.
    pub(super) about: &'static str,
    pub(super) goal: Goal,
    pub(super) rows: &'static [Row],
    pub(super) columns: &'static [Column],
}

/// What the searches of a table are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Bug,
    AllStates,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) label: &'static str,
    pub(super) program: &'static str,
    pub(super) test: &'static str,
    /// For each column what the paper has; empty where its figures are not known.
    pub(super) paper: &'static [Figure],
}

/// Delays or depth, and states. `None`: the paper's search found nothing before it ran out of memory.
pub(super) type Figure = Option<(u64, u64)>;

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// Whether it depends on the seed, so that several are tried.
    pub(super) is_random: bool,
    pub(super) measure: Measure,
    /// The program that it is for, if it is for one.
    pub(super) only: Option<&'static str>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// States, beside the delays that were needed.
    States,
    /// States, beside the depth that was reached.
    StatesByDepth,
    Schedules,
}

impl Table {
    /// All cells, row by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&'static Row, &'static Column)> {
        self.rows.iter().flat_map(|row| {
            let fits = |column: &&Column| column.only.is_none_or(|program| program == row.program);
            self.columns.iter().filter(fits).map(move |column| (row, column))
        })
    }

    pub(super) fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Row {
    pub(super) fn arguments(&self) -> Vec<String> {
        vec!["--test".into(), self.test.into()]
    }
}

impl Column {
    const fn new(name: &'static str, measure: Measure, arguments: &'static [&'static str]) -> Self {
        Self { name, arguments, is_random: false, measure, only: None }
    }

    const fn random(self) -> Self {
        Self { is_random: true, ..self }
    }

    const fn only(self, program: &'static str) -> Self {
        Self { only: Some(program), ..self }
    }
}

const fn row(
    label: &'static str,
    program: &'static str,
    test: &'static str,
    paper: &'static [Figure],
) -> Row {
    Row { label, program, test, paper }
}

pub(super) static TABLES: [Table; 3] = [
    Table {
        name: "000-1",
        title: "What it costs to store the explorer's state with the program's",
        about: "States stored by stratified exhaustive search with run-to-completion, to the end: the program's states (s), \
                or pairs with the explorer's state (s,d).",
        goal: Goal::AllStates,
        rows: &CACHE_ROWS,
        columns: &CACHE_COLUMNS,
    },
    Table {
        name: "000-2",
        title: "Iterative depth bounding and iterative delay bounding",
        about: "States visited until the bug is found, and the depth or the number of delays at which it is. \
                Delays are counted as Zing counted them: one for each deviation, whatever its length.",
        goal: Goal::Bug,
        rows: &DELAY_ROWS,
        columns: &DELAY_COLUMNS,
    },
    Table {
        name: "001-1",
        title: "Stratified sampling and stratified exhaustive search against the others",
        about: "Schedules until the bug is found by random search (RS), iterative random search (IRS), PCT and stratified \
                sampling (SS); states until it is found by preemption bounding (PB) and stratified exhaustive search (SES).",
        goal: Goal::Bug,
        rows: &SEARCH_ROWS,
        columns: &SEARCH_COLUMNS,
    },
];

static CACHE_COLUMNS: [Column; 2] = [
    Column::new("cache (s)", Measure::States, &["--search", "ses", "--explorer", "rtc"]),
    Column::new("cache (s,d)", Measure::States, &["--search", "ses", "--explorer", "rtc", "--strict"]),
];

static CACHE_ROWS: [Row; 12] = [
    row(
        "Tree Identification, 2",
        "tree-identification",
        "tcAnyTree___nodes_2",
        &[Some((0, 250)), Some((0, 745))],
    ),
    row(
        "Tree Identification, 3",
        "tree-identification",
        "tcAnyTree___nodes_3",
        &[Some((0, 3350)), Some((0, 11_500))],
    ),
    row(
        "Tree Identification, 4",
        "tree-identification",
        "tcAnyTree___nodes_4",
        &[Some((0, 71_900)), Some((0, 301_000))],
    ),
    row(
        "Tree Identification, 5",
        "tree-identification",
        "tcAnyTree___nodes_5",
        &[Some((0, 496_000)), Some((0, 2_570_000))],
    ),
    row(
        "Lann, 2",
        "lann-ring",
        "tcLossChangRoberts___nodes_2__losses_1__rashTimeouts_0",
        &[Some((0, 1120)), Some((0, 1890))],
    ),
    row(
        "Lann, 3",
        "lann-ring",
        "tcLossChangRoberts___nodes_3__losses_1__rashTimeouts_0",
        &[Some((0, 245_000)), Some((0, 604_000))],
    ),
    row(
        "Lann, 4",
        "lann-ring",
        "tcLossChangRoberts___nodes_4__losses_1__rashTimeouts_0",
        &[Some((0, 5_570_000)), Some((0, 20_800_000))],
    ),
    row(
        "Lann, 5",
        "lann-ring",
        "tcLossChangRoberts___nodes_5__losses_1__rashTimeouts_0",
        &[Some((0, 90_500_000)), Some((0, 502_000_000))],
    ),
    row(
        "ORSet, 2",
        "or-set",
        "tcAddAndRemove___replicas_2__clients_2__operationsEach_1",
        &[Some((0, 23_100)), Some((0, 56_700))],
    ),
    row(
        "ORSet, 3",
        "or-set",
        "tcAddAndRemove___replicas_3__clients_2__operationsEach_1",
        &[Some((0, 557_000)), Some((0, 1_230_000))],
    ),
    row(
        "ORSet, 4",
        "or-set",
        "tcAddAndRemove___replicas_4__clients_2__operationsEach_1",
        &[Some((0, 44_500_000)), Some((0, 158_000_000))],
    ),
    row(
        "ORSet, 5",
        "or-set",
        "tcAddAndRemove___replicas_5__clients_2__operationsEach_1",
        &[Some((0, 2_600_000_000)), None],
    ),
];

static DELAY_COLUMNS: [Column; 4] = [
    Column::new("depth", Measure::StatesByDepth, &["--search", "depth", "--increment", "5"]).random(),
    Column::new(
        "delay, random",
        Measure::States,
        &["--search", "ses", "--explorer", "random", "--cost", "deviations"],
    )
    .random(),
    Column::new(
        "delay, rtc",
        Measure::States,
        &["--search", "ses", "--explorer", "rtc", "--cost", "deviations"],
    ),
    Column::new(
        "delay, rr",
        Measure::States,
        &["--search", "ses", "--explorer", "rr", "--cost", "deviations"],
    ),
];

static DELAY_ROWS: [Row; 13] = [
    row(
        "OSR",
        "osr-driver",
        "tcBarGraphTrusted___powerCycles_2__switchChanges_2",
        &[Some((35, 806_585)), Some((8, 15_896)), Some((6, 7885)), Some((12, 71_957))],
    ),
    row(
        "USB",
        "usb-hub",
        "tcResetAbandoned___portCount_1__plugs_3__powerCycles_0",
        &[Some((40, 1_616_157)), Some((2, 1487)), Some((2, 687)), Some((2, 3380))],
    ),
    row(
        "ORSet",
        "or-set",
        "tcAnswersEarly___replicas_3__clients_2__operationsEach_2",
        &[None, Some((3, 8578)), Some((4, 179_930)), Some((2, 2231))],
    ),
    row(
        "CScale",
        "cscale",
        "tcNotCommutative___replicas_3__clients_2__updatesEach_1__asksAgain_false",
        &[None, Some((5, 45_021)), Some((6, 894_355)), Some((4, 15_634))],
    ),
    row(
        "Lann",
        "lann-ring",
        "tcHolderForwards___nodes_4__losses_0__rashTimeouts_1",
        &[None, Some((15, 66_785)), Some((2, 9075)), Some((8, 3_680_401))],
    ),
    row(
        "Tree Identification",
        "tree-identification",
        "tcGivesUp___nodes_5",
        &[None, Some((26, 259_115)), Some((6, 27_804)), None],
    ),
    row(
        "Elevator Door",
        "elevator-door",
        "tcObjectForgotten___presses_4",
        &[Some((25, 13_808)), Some((4, 1771)), Some((4, 2277)), Some((6, 13_848))],
    ),
    row(
        "Elevator Planning",
        "elevator-planning",
        "tcClosedBehindFirst___carCount_1__passengerCount_3",
        &[Some((35, 18_609_583)), Some((9, 26_532)), Some((5, 32_907)), Some((16, 24_349_202))],
    ),
    row(
        "Truck Lift",
        "truck-lifts",
        "tcLedAtOnce___liftCount_3__operators_2__presses_1",
        &[Some((30, 950_005)), Some((8, 1656)), Some((3, 64_249)), Some((4, 13_180))],
    ),
    row(
        "German",
        "german",
        "tcForgetsExclusive___caches_3__requestsEach_2",
        &[Some((25, 595_723)), Some((6, 3011)), Some((2, 3613)), None],
    ),
    row(
        "MSMIE",
        "msmie",
        "tcTornMessage___slaves_1__masters_2__messages_3__reads_1",
        &[Some((35, 2_230_542)), Some((8, 44_123)), Some((6, 5156)), Some((9, 223_411))],
    ),
    row(
        "TSP, bug 1",
        "time-synchronisation",
        "tcLateFrame___clockCount_4",
        &[None, Some((11, 94_000)), Some((19, 16_000_000)), None],
    ),
    row(
        "TSP, bug 2",
        "time-synchronisation",
        "tcLateFrameInRing___clockCount_4",
        &[None, Some((22, 29_000_000)), Some((16, 510_000)), Some((31, 3_100_000_000))],
    ),
];

/// The explorer of the case study, which knows chain replication: no failures while the chain is being set up, failures
/// and repairs first once a client knows where it begins and ends.
const CUSTOM: &str = "order:Server,Master,*,FailureInjector;eEnds:FailureInjector,Master,Server,*";
const CHAIN: &str = "chain-replication";

static SEARCH_COLUMNS: [Column; 12] = [
    Column::new("RS", Measure::Schedules, &["--search", "random"]).random(),
    Column::new("IRS", Measure::Schedules, &["--search", "irs", "--increment", "10"]).random(),
    Column::new("PCT", Measure::Schedules, &["--search", "pct"]).random(),
    Column::new("SS rr", Measure::Schedules, &["--search", "ss", "--explorer", "rr"]).random(),
    Column::new("SS rtc", Measure::Schedules, &["--search", "ss", "--explorer", "rtc"]).random(),
    Column::new("SS prr", Measure::Schedules, &["--search", "ss", "--explorer", "prr"]).random(),
    Column::new("SS custom", Measure::Schedules, &["--search", "ss", "--explorer", CUSTOM])
        .random()
        .only(CHAIN),
    Column::new("PB", Measure::States, &["--search", "pb"]),
    Column::new("SES rr", Measure::States, &["--search", "ses", "--explorer", "rr"]),
    Column::new("SES rtc", Measure::States, &["--search", "ses", "--explorer", "rtc"]),
    Column::new("SES prr", Measure::States, &["--search", "ses", "--explorer", "prr"]).random(),
    Column::new("SES custom", Measure::States, &["--search", "ses", "--explorer", CUSTOM]).only(CHAIN),
];

static SEARCH_ROWS: [Row; 26] = [
    row("2PC 1", "two-phase-commit", "tcStaleVote", &[]),
    row("2PC 2", "two-phase-commit", "tcLateTimeout", &[]),
    row("2PC 3", "two-phase-commit", "tcForgottenLog", &[]),
    row("2PC 4", "two-phase-commit", "tcNoInquiry", &[]),
    row("ChainRep 1", CHAIN, "tcHeadAnswers", &[]),
    row("ChainRep 2", CHAIN, "tcQueryAtHead", &[]),
    row("ChainRep 3", CHAIN, "tcNothingResent", &[]),
    row("ChainRep 4", CHAIN, "tcResentBackwards", &[]),
    row("ChainRep 5", CHAIN, "tcQuietNewTail", &[]),
    row("ChainRep 6", CHAIN, "tcRepeatedUpdate", &[]),
    row("ChainRep 7", CHAIN, "tcSecondAnswer", &[]),
    row("ChainRep 8", CHAIN, "tcOldestAcknowledged", &[]),
    row("ChainRep 9", CHAIN, "tcCountFromZero", &[]),
    row("ChainRep 10", CHAIN, "tcAdjacentFailures", &[]),
    row("MultiPaxos 1", "multi-paxos", "tcForgottenCommand", &[]),
    row("MultiPaxos 2", "multi-paxos", "tcTwoLeadersAtOnce", &[]),
    row("MultiPaxos 3", "multi-paxos", "tcHoleInLog", &[]),
    row("Paxos 1", "paxos", "tcForgottenValue", &[]),
    row("Paxos 2", "paxos", "tcOldPromises", &[]),
    row("Paxos 3", "paxos", "tcFirstValue", &[]),
    row("TMS 1", "transaction-manager", "tcEarlyVote", &[]),
    row("TMS 2", "transaction-manager", "tcEarlyUnlock", &[]),
    row("TMS 3", "transaction-manager", "tcRequestsAnew", &[]),
    row("TMS 4", "transaction-manager", "tcOldEnds", &[]),
    row("OSR 1", "osr-driver", "tcBarGraphTrusted___powerCycles_2__switchChanges_2", &[]),
    row("OSR 2", "osr-driver", "tcTimerNotFlushed___powerCycles_1__switchChanges_2", &[]),
];
