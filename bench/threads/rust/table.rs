//! A table much like that of `sharedStore`: four slots in a cache line, 2.2 slots per key. A full line's keys go to the
//! next. A slot has a fingerprint and a tick of 54 bits, each with 10 of generation. Threads publish ticks by
//! compare-and-swap. One thread inserts all keys before the others start. No key is dropped.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::threads::{self, Plan};
use crate::{expect_taken, take, Clock};

/** An IPv4 address, as in harness/keys.ts. */
fn key(index: u32) -> String {
    std::net::Ipv4Addr::from(mix32(index + 1)).to_string()
}

/** The indices of all keys, in an order that the seed decides. */
fn shuffled(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let mut indices: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        state = state.wrapping_add(0x9e37_79b9);
        let other = (u64::from(mix32(state)) * (last as u64 + 1)) >> 32;
        indices.swap(last, other as usize);
    }
    indices
}

fn mix32(value: u32) -> u32 {
    let mut mixed = value ^ (value >> 16);
    mixed = mixed.wrapping_mul(0x21f0_aaad);
    mixed ^= mixed >> 15;
    mixed = mixed.wrapping_mul(0x735a_2d97);
    mixed ^ (mixed >> 15)
}

const SLOTS_PER_SET: usize = 4;
const SLOTS_PER_TEN_KEYS: usize = 22;
const GENERATION_BITS: u32 = 10;
const GENERATION_MASK: u64 = (1 << GENERATION_BITS) - 1;
const NEVER_USED: u64 = 0;

#[derive(Default)]
struct Slot {
    print: AtomicU64,
    state: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Set {
    slots: [Slot; SLOTS_PER_SET],
}

struct Table {
    sets: Vec<Set>,
    /** The standard library's SipHash-1-3 with a secret. */
    hashing: RandomState,
}

impl Table {
    fn with(keys: &[String], now: u64) -> Self {
        let sets = (keys.len() * SLOTS_PER_TEN_KEYS).div_ceil(10 * SLOTS_PER_SET);
        let table = Self { sets: (0..sets).map(|_| Set::default()).collect(), hashing: RandomState::new() };
        for key in keys {
            let hash = table.hash(key);
            let slot = table.find(hash, |slot| slot.state.load(Ordering::Acquire) == NEVER_USED);
            slot.print.store(hash << GENERATION_BITS | 1, Ordering::Release);
            slot.state.store(now << GENERATION_BITS | 1, Ordering::Release);
        }
        table
    }

    #[inline]
    fn allow(&self, key: &str, now: u64) -> bool {
        let hash = self.hash(key);
        loop {
            let slot = self.find(hash, |slot| Self::is_of(slot, hash));
            let state = slot.state.load(Ordering::Acquire);
            let generation = state & GENERATION_MASK;
            if slot.print.load(Ordering::Acquire) != (hash << GENERATION_BITS | generation) {
                continue;
            }
            let Some(taken) = take(state >> GENERATION_BITS, now) else { return false };
            let next = taken << GENERATION_BITS | generation;
            if slot.state.compare_exchange(state, next, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
    }

    #[inline]
    fn hash(&self, key: &str) -> u64 {
        let mut hasher = self.hashing.build_hasher();
        hasher.write(key.as_bytes());
        hasher.finish()
    }

    /** The first slot that is wanted, from the set of the hash on. */
    #[inline]
    fn find(&self, hash: u64, is_wanted: impl Fn(&Slot) -> bool) -> &Slot {
        let mut set = (((hash & 0xffff_ffff) * self.sets.len() as u64) >> 32) as usize;
        loop {
            if let Some(slot) = self.sets[set].slots.iter().find(|slot| is_wanted(slot)) {
                return slot;
            }
            set = if set + 1 == self.sets.len() { 0 } else { set + 1 };
        }
    }

    #[inline]
    fn is_of(slot: &Slot, hash: u64) -> bool {
        let generation = slot.state.load(Ordering::Acquire) & GENERATION_MASK;
        generation != 0 && slot.print.load(Ordering::Acquire) == (hash << GENERATION_BITS | generation)
    }
}

pub fn measure(plan: &Plan, clock: Clock, count: usize) -> f64 {
    let keys: Vec<String> = (0..count as u32).map(key).collect();
    let table = Table::with(&keys, clock.read());
    let order_of = |thread: usize| shuffled(count, thread as u32 + 1);
    let measured = threads::run(plan, |thread| {
        // Side by side in the thread's order, as strings are that were made in that order.
        let in_order: Vec<String> = order_of(thread).iter().map(|index| keys[*index as usize].clone()).collect();
        let (mut clock, mut next, table) = (clock, 0, &table);
        move || {
            let key = &in_order[next];
            next = if next + 1 == in_order.len() { 0 } else { next + 1 };
            table.allow(key, clock.now())
        }
    });
    let mut taken = vec![0; count];
    for (thread, calls) in measured.calls.iter().enumerate() {
        for (place, index) in order_of(thread).iter().enumerate() {
            taken[*index as usize] += calls / count as u64 + u64::from((place as u64) < calls % count as u64);
        }
    }
    for (key, units) in keys.iter().zip(taken) {
        let hash = table.hash(key);
        let slot = table.find(hash, |slot| Table::is_of(slot, hash));
        expect_taken(slot.state.load(Ordering::Acquire) >> GENERATION_BITS, clock.read(), units);
    }
    measured.per_second
}
