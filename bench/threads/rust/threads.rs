//! Threads begin together, and decide for as long as a window is open.

use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

const CALLS_PER_READING: u64 = 1024;

pub struct Plan {
    pub threads: usize,
    pub warm_up_ms: u64,
    pub window_ms: u64,
}

pub struct Measured {
    pub per_second: f64,
    /** The calls of each thread, warm-up included. */
    pub calls: Vec<u64>,
}

/** `make` returns the function of one thread, which must admit every call. */
pub fn run<Decide: FnMut() -> bool>(plan: &Plan, make: impl Fn(usize) -> Decide + Sync) -> Measured {
    let barrier = Barrier::new(plan.threads);
    let (warm_up, window) = (OnceLock::new(), OnceLock::new());
    let work = &|index: usize| {
        let mut decide = make(index);
        let mut decide_for = |began: &OnceLock<Instant>, ms: u64| {
            barrier.wait();
            let deadline = *began.get_or_init(Instant::now) + Duration::from_millis(ms);
            decide_until(deadline, &mut decide)
        };
        let before = decide_for(&warm_up, plan.warm_up_ms);
        (before, decide_for(&window, plan.window_ms), Instant::now())
    };
    let samples: Vec<(u64, u64, Instant)> = thread::scope(|scope| {
        let started: Vec<_> = (0..plan.threads).map(|index| scope.spawn(move || work(index))).collect();
        started.into_iter().map(|one| one.join().expect("a thread failed")).collect()
    });
    let start = *window.get().expect("expected the window to have been open");
    let end = samples.iter().map(|(_, _, end)| *end).max().expect("expected a thread");
    let in_window: u64 = samples.iter().map(|(_, calls, _)| calls).sum();
    let calls = samples.iter().map(|(before, calls, _)| before + calls).collect();
    Measured { per_second: in_window as f64 / (end - start).as_secs_f64(), calls }
}

fn decide_until(deadline: Instant, decide: &mut impl FnMut() -> bool) -> u64 {
    let mut calls = 0;
    while Instant::now() < deadline {
        let admitted: u64 = (0..CALLS_PER_READING).map(|_| u64::from(decide())).sum();
        assert_eq!(admitted, CALLS_PER_READING, "expected every call to be admitted");
        calls += CALLS_PER_READING;
    }
    calls
}
