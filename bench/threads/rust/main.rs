//! The same table in Rust, across threads: `main.rs.out <per-call | coarse> <threads> <warm-up ms> <window ms> <keys>`
//! prints millions of decisions a second of all threads together.

mod table;
mod threads;

use std::time::Instant;

use threads::Plan;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [clock, threads, warm_up_ms, window_ms, keys] = &words[..] else {
        panic!("expected five words, got {}", words.len());
    };
    let number = |text: &String| text.parse::<u64>().expect("expected a whole number");
    let calls_per_reading = if clock == "coarse" { 16 } else { 1 };
    let clock = Clock { origin: Instant::now(), calls_per_reading, calls_left: 0, now: 0 };
    let plan = Plan { threads: number(threads) as usize, warm_up_ms: number(warm_up_ms), window_ms: number(window_ms) };
    println!("{:.6}", table::measure(&plan, clock, number(keys) as usize) / 1e6);
}

/** One thread's clock: microseconds since an origin that all threads share, never 0. */
#[derive(Clone, Copy)]
pub struct Clock {
    origin: Instant,
    calls_per_reading: u32,
    calls_left: u32,
    now: u64,
}

impl Clock {
    #[inline]
    pub fn now(&mut self) -> u64 {
        if self.calls_left == 0 {
            self.now = self.read();
            self.calls_left = self.calls_per_reading;
        }
        self.calls_left -= 1;
        self.now
    }

    pub fn read(&self) -> u64 {
        self.origin.elapsed().as_micros() as u64 + 1
    }
}

// A token bucket. Its state is the tick at which it will be full. A tick is a microsecond.
const CAPACITY: u64 = 200_000_000;
const UNIT_TICKS: u64 = 10_000_000;

/** The state after taking one more unit, if the bucket has one. */
#[inline]
pub fn take(full_at: u64, now: u64) -> Option<u64> {
    let taken = full_at.max(now) + UNIT_TICKS;
    (taken <= now + CAPACITY * UNIT_TICKS).then_some(taken)
}

/** Panics unless this many units were taken. Some may have come back. */
pub fn expect_taken(full_at: u64, now: u64, units: u64) {
    let missing = full_at.saturating_sub(now).div_ceil(UNIT_TICKS);
    assert!(missing <= units && missing + now / UNIT_TICKS >= units, "expected each call to have taken a unit");
}
