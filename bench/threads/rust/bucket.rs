//! A token bucket whose whole state is the tick at which it will be full again; a tick is a microsecond.

pub const CAPACITY: u64 = 200_000_000;
/** A unit comes back in so many ticks. */
pub const UNIT_TICKS: u64 = 10_000_000;

/** The state after one more unit is taken, if there is one. */
#[inline]
pub fn take(full_at: u64, now: u64) -> Option<u64> {
    let taken = full_at.max(now) + UNIT_TICKS;
    (taken <= now + CAPACITY * UNIT_TICKS).then_some(taken)
}

/** Whether so many units were taken, as far as can be told: some may have come back. */
pub fn is_missing(full_at: u64, now: u64, units: u64) -> bool {
    let missing = full_at.saturating_sub(now).div_ceil(UNIT_TICKS);
    missing <= units && missing + now / UNIT_TICKS >= units
}
