use std::time::Instant;

const CALLS_PER_READING: u32 = 16;

#[derive(Clone, Copy)]
pub enum Reading {
    PerCall,
    Coarse,
}

/** One thread's clock: microseconds since an origin that all threads share, never 0. */
pub struct Clock {
    origin: Instant,
    calls_per_reading: u32,
    calls_left: u32,
    now: u64,
}

impl Clock {
    pub fn new(origin: Instant, reading: Reading) -> Self {
        let calls_per_reading = match reading {
            Reading::PerCall => 1,
            Reading::Coarse => CALLS_PER_READING,
        };
        Self { origin, calls_per_reading, calls_left: 0, now: 0 }
    }

    #[inline]
    pub fn now(&mut self) -> u64 {
        if self.calls_left == 0 {
            self.now = self.origin.elapsed().as_micros() as u64 + 1;
            self.calls_left = self.calls_per_reading;
        }
        self.calls_left -= 1;
        self.now
    }
}
