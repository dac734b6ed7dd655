//! All that states refer to, written down and taken up again with the same ids.
//!
//! Each table is written in the order of its ids, and after those it refers to: actors, messages, queues, shapes,
//! configurations, rosters, parts. Ids that were left out are told. Whoever leaves them out as well, and interns the contents in this order
//! in empty tables, gives them the same ids; `restore` refuses a file for which that does not hold. What is remembered about moves is not written: it is found out again. Which places
//! were come to is written, because moves that led there may have been made only before.
//!
//! At the end comes the sum of all content hashes. It differs if the hashes are computed in another way than by the
//! Fabius that wrote the file, whose fingerprints would then mean nothing.

mod values;

use crate::machine::MessageId;
use crate::queue::{QueueId, Queued};
use crate::scratch;
use crate::shapes::ShapeId;
use crate::step::Vm;
use crate::store::LocalId;
use crate::table::{Interned, Interner};
use crate::value::Value;
use fabius_lang::ids::{InterfaceId, MachineId};
use fabius_model::wire::{damaged, get, get_number, get_words, put_number, put_words};
use fabius_model::{ActorId, Durable};
use std::io::{self, Read, Write};
use values::{Restorer, Saver};

impl Durable for Vm {
    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        let store = &self.store;
        save_all(to, store.actors.table(), |to, actor| {
            put_number(to, actor.parent().map_or(0, |parent| u64::from(parent.0) + 1))?;
            [actor.index(), actor.interface.0, actor.machine.0]
                .iter()
                .try_for_each(|number| put_number(to, u64::from(*number)))
        })?;
        let mut saver = Saver::default();
        save_all(to, store.messages(), |to, entry| saver.message(to, &entry.message))?;
        save_all(to, store.queues.table(), |to, queue| {
            let messages: Vec<u32> = queue.messages.iter().map(|queued| queued.message.0).collect();
            put_words(to, &messages)
        })?;
        save_all(to, store.shapes().table(), |to, shape| {
            let shape = shape.unpack(&vec![Value::Null; shape.values()], &self.linked);
            saver.shape(to, &shape)?;
            scratch::give_back(shape);
            Ok(())
        })?;
        save_all(to, store.locals(), |to, entry| {
            put_number(to, u64::from(entry.shape.0))?;
            store.values_of(entry).iter().try_for_each(|value| saver.value(to, value))
        })?;
        save_all(to, store.rosters(), |to, roster| {
            let actors: Vec<u32> = roster.actors.iter().map(|actor| actor.0).collect();
            put_words(to, &actors)
        })?;
        save_all(to, &store.parts, |to, part| {
            put_number(to, u64::from(part.local.0))?;
            put_number(to, u64::from(part.queue.0))
        })?;
        put_number(to, store.exercised.bits().len() as u64)?;
        store.exercised.bits().try_for_each(|bits| put_number(to, bits))?;
        to.write_all(&self.sum_of_hashes().to_le_bytes())
    }

    fn restore(&self, from: &mut dyn Read) -> io::Result<()> {
        let store = &self.store;
        restore_all(from, store.actors.table(), |from| {
            let parent = get_number(from)?;
            let (index, interface, machine) = (get(from)?, InterfaceId(get(from)?), MachineId(get(from)?));
            if parent == 0 {
                return Ok(store.actors.main(interface, machine).0);
            }
            let parent = known(store.actors.table(), parent - 1)?;
            Ok(store.actors.child(ActorId(parent), index, interface, machine).0)
        })?;
        let mut restorer = Restorer::new(store.actors.table());
        let messages = store.messages();
        restore_all(from, messages, |from| Ok(store.intern_message(&restorer.message(from)?).0))?;
        restore_all(from, store.queues.table(), |from| {
            let queued = get_words(from)?.into_iter().map(|message| {
                let message = MessageId(known(messages, u64::from(message))?);
                Ok(Queued { message, event: store.message(message).event })
            });
            let queued = queued.collect::<io::Result<Vec<Queued>>>()?;
            Ok(store.queues.intern(&queued.into_iter(), |message| store.message_hash(message)).0)
        })?;
        restore_all(from, store.shapes().table(), |from| {
            Ok(store.shapes().intern(&restorer.shape(from)?, &self.linked).0.0)
        })?;
        restore_all(from, store.locals(), |from| {
            let shape = store.shapes().get(ShapeId(known(store.shapes().table(), get_number(from)?)?));
            let values = (0..shape.values()).map(|_| restorer.value(from)).collect::<io::Result<Vec<_>>>()?;
            let local = shape.unpack(&values, &self.linked);
            let id = store.intern_local(&local, &self.linked);
            scratch::give_back(local);
            Ok(id.0)
        })?;
        restore_all(from, store.rosters(), |from| {
            let actors = get_words(from)?.into_iter();
            let actors = actors.map(|actor| known(store.actors.table(), u64::from(actor)).map(ActorId));
            Ok(store.intern_roster(actors.collect::<io::Result<_>>()?).0)
        })?;
        restore_all(from, &store.parts, |from| {
            let local = LocalId(known(store.locals(), get_number(from)?)?);
            let queue = QueueId(known(store.queues.table(), get_number(from)?)?);
            Ok(store.intern_part(&self.linked, local, queue).0)
        })?;
        let count = get_number(from)?;
        for nth in 0..count {
            if !store.exercised.add_bits(nth as usize, get_number(from)?) {
                return Err(damaged());
            }
        }
        let mut sum = [0; 16];
        from.read_exact(&mut sum)?;
        if u128::from_le_bytes(sum) == self.sum_of_hashes() { Ok(()) } else { Err(damaged()) }
    }
}

impl Vm {
    fn sum_of_hashes(&self) -> u128 {
        let store = &self.store;
        sum(store.actors.table())
            .wrapping_add(sum(store.messages()))
            .wrapping_add(sum(store.queues.table()))
            .wrapping_add(sum(store.locals()))
            .wrapping_add(sum(store.rosters()))
            .wrapping_add(sum(&store.parts))
    }
}

fn sum<T: Interned>(table: &Interner<T>) -> u128 {
    table.iter().fold(0, |sum, (_, object)| sum.wrapping_add(object.hash()))
}

/// Writes the objects of a table in the order of their ids.
fn save_all<T: Interned>(
    to: &mut dyn Write,
    table: &Interner<T>,
    mut save: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    put_number(to, table.iter().count() as u64)?;
    let mut next = 0;
    for (id, object) in table.iter() {
        put_number(to, u64::from(id - std::mem::replace(&mut next, id + 1)))?;
        save(to, object)?;
    }
    Ok(())
}

/// More than any table has room for in the memory of our time.
const MOST_IDS: u32 = 1 << 30;

/// Interns the objects of a table, each of which must get its id.
fn restore_all<T: Interned>(
    from: &mut dyn Read,
    table: &Interner<T>,
    mut restore: impl FnMut(&mut dyn Read) -> io::Result<u32>,
) -> io::Result<()> {
    let count: u32 = get(from)?;
    let mut next = 0_u32;
    for _ in 0..count {
        let id = next.checked_add(get(from)?).filter(|id| *id < MOST_IDS).ok_or_else(damaged)?;
        if !table.skip_to(id) || restore(from)? != id {
            return Err(damaged());
        }
        next = id + 1;
    }
    Ok(())
}

/// The id, if the table has it.
fn known<T: Interned>(table: &Interner<T>, id: u64) -> io::Result<u32> {
    let id = u32::try_from(id).ok().filter(|id| table.find(*id).is_some());
    id.ok_or_else(damaged)
}
