//! A table with the layout of `sharedStore`: four slots in a cache line, 2.2 slots per key, eight sets for each key. A
//! slot has a fingerprint and a tick of 54 bits, each with 10 of generation. Threads publish ticks by compare-and-swap.
//! One thread inserts all keys before the others start. No key is dropped, so there is nothing to reclaim.

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
const SETS_IN_A_ROW: usize = 4;
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
    /** A table with all keys. Tries another secret where a key finds no slot. */
    fn with(keys: &[String], now: u64) -> Self {
        loop {
            let table = Self::new(keys.len());
            if keys.iter().all(|key| table.put(key, now)) {
                return table;
            }
        }
    }

    fn new(keys: usize) -> Self {
        let sets = (keys * SLOTS_PER_TEN_KEYS).div_ceil(10 * SLOTS_PER_SET);
        Self { sets: (0..sets).map(|_| Set::default()).collect(), hashing: RandomState::new() }
    }

    #[inline]
    fn allow(&self, key: &str, now: u64) -> bool {
        let hash = self.hash(key);
        loop {
            let Some(slot) = self.find(hash) else { return false };
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

    /** Puts a new key into its first free slot. Returns false where it has none. */
    fn put(&self, key: &str, now: u64) -> bool {
        let hash = self.hash(key);
        let sets = self.sets_of(hash).into_iter();
        let mut slots = sets.flat_map(|set| &self.sets[set].slots);
        let Some(slot) = slots.find(|slot| slot.state.load(Ordering::Acquire) == NEVER_USED) else { return false };
        slot.print.store(hash << GENERATION_BITS | 1, Ordering::Release);
        slot.state.store(now << GENERATION_BITS | 1, Ordering::Release);
        true
    }

    #[inline]
    fn hash(&self, key: &str) -> u64 {
        let mut hasher = self.hashing.build_hasher();
        hasher.write(key.as_bytes());
        hasher.finish()
    }

    /** The slot of a hash. Slots fill in order: the search ends at a slot never used. */
    #[inline]
    fn find(&self, hash: u64) -> Option<&Slot> {
        let first = &self.sets[self.first_set(hash)];
        let found = first.slots.iter().find(|slot| Self::is_of(slot, hash));
        if found.is_some() || first.slots[SLOTS_PER_SET - 1].state.load(Ordering::Acquire) == NEVER_USED {
            return found;
        }
        self.find_further(hash)
    }

    #[inline(never)]
    fn find_further(&self, hash: u64) -> Option<&Slot> {
        let sets = self.sets_of(hash);
        let mut slots = sets[1..].iter().flat_map(|set| &self.sets[*set].slots);
        slots.find(|slot| Self::is_of(slot, hash))
    }

    #[inline]
    fn is_of(slot: &Slot, hash: u64) -> bool {
        let generation = slot.state.load(Ordering::Acquire) & GENERATION_MASK;
        generation != 0 && slot.print.load(Ordering::Acquire) == (hash << GENERATION_BITS | generation)
    }

    /** From the lower half of the hash. */
    #[inline]
    fn first_set(&self, hash: u64) -> usize {
        (((hash & 0xffff_ffff) * self.sets.len() as u64) >> 32) as usize
    }

    /** Two sets, and the sets that follow each. */
    fn sets_of(&self, hash: u64) -> [usize; 2 * SETS_IN_A_ROW] {
        let count = self.sets.len();
        let first = self.first_set(hash);
        let distance = ((hash >> 32) * (count - 2 * SETS_IN_A_ROW + 1) as u64) >> 32;
        let second = first + SETS_IN_A_ROW + distance as usize;
        std::array::from_fn(|i| (if i % 2 == 0 { first } else { second } + i / 2) % count)
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
        let slot = table.find(table.hash(key)).expect("expected every key to be there");
        expect_taken(slot.state.load(Ordering::Acquire) >> GENERATION_BITS, clock.read(), units);
    }
    measured.per_second
}
