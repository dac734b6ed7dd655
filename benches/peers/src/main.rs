mod counts; mod engine; mod models; mod stateright;
#[global_allocator] static A: mimalloc::MiMalloc = mimalloc::MiMalloc;
fn t(name:&str, f: impl FnOnce()->Option<counts::Counts>) { let s=std::time::Instant::now(); let c=f(); println!("{name}: {c:?} {:?}", s.elapsed()); }
fn main() {
  for n in [3,5,8] {
  t("2pc st", ||stateright::explore(stateright::two_phase_commit::TwoPhaseCommit{participants:n},1));
  t("2pc st compact", ||stateright::explore(stateright::OnStateright(models::two_phase_commit::TwoPhaseCommit{participants:n as u32}),1));
  t("2pc fab", ||engine::explore(models::two_phase_commit::TwoPhaseCommit{participants:n as u32},1)); }
  for n in [1,2,3] {
  t("paxos st", ||stateright::explore(stateright::paxos::model(n),1));
  t("paxos st compact", ||stateright::explore(stateright::OnStateright(models::paxos::Paxos{clients:n}),1));
  t("paxos fab", ||engine::explore(models::paxos::Paxos{clients:n},1)); }
}
