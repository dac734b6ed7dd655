use fabius_explore::PerActor;
use fabius_model::ActorId;

#[test]
fn small_and_large_ids_have_values_until_they_are_removed_or_all_are_cleared() {
    let mut table: PerActor<u64> = PerActor::new();
    for id in [0, 7, 65_535, 65_536, u32::MAX] {
        let actor = ActorId(id);
        assert_eq!(table.get(actor), None);
        table.set(actor, 1);
        table.set(actor, 2);
        assert_eq!(table.get(actor), Some(2));
        table.remove(actor);
        assert_eq!(table.get(actor), None);
        table.set(actor, 3);
    }
    assert_eq!(table.get(ActorId(7)), Some(3));
    assert_eq!(table.get(ActorId(8)), None);
    table.clear();
    for id in [0, 7, 65_535, 65_536, u32::MAX] {
        assert_eq!(table.get(ActorId(id)), None);
    }
}
