//! One bucket, in 64 bits that have a line of the cache to themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::bucket;
use crate::clock::{Clock, Reading};
use crate::threads::{self, Plan};

#[repr(align(64))]
struct Bucket(AtomicU64);

impl Bucket {
    #[inline]
    fn allow(&self, now: u64) -> bool {
        loop {
            let full_at = self.0.load(Ordering::Acquire);
            let Some(taken) = bucket::take(full_at, now) else {
                return false;
            };
            if self.0.compare_exchange(full_at, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
    }
}

pub fn measure(plan: &Plan, reading: Reading) -> f64 {
    let origin = Instant::now();
    let bucket = Bucket(AtomicU64::new(0));
    let measured = threads::run(plan, |_| {
        let mut clock = Clock::new(origin, reading);
        let bucket = &bucket;
        move || bucket.allow(clock.now())
    });
    let now = Clock::new(origin, Reading::PerCall).now();
    let full_at = bucket.0.load(Ordering::Acquire);
    assert!(bucket::is_missing(full_at, now, measured.calls.iter().sum()), "expected each call to have taken a unit");
    measured.per_second
}
