import { type Clock, systemClock } from "../../core/clock.ts";

/** A clock of the process is ahead of the thread's by the time for which the machine had been running. */
const SAME_CLOCK_MS = 10;
/** The shortest of so many measurements is taken. */
const MEASUREMENTS = 16;

/**
 * A clock on which all threads of a process agree. Each thread's `systemClock` begins with the wall time at which that thread began; if that
 * was corrected in between, they differ for good. What has not differed since the process began is its monotonic clock.
 *
 * @param wallMs the wall time at which the monotonic clock was 0, as the first thread saw it.
 */
export function agreedClock(wallMs: number): Clock {
  const aheadMs = wallMs - wallAtZeroMs();
  return Object.freeze({ now: () => systemClock.now() + aheadMs });
}

/** The wall time at which this process's monotonic clock was 0, by this thread's clock. */
export function wallAtZeroMs(): number {
  let shortestMs = Number.POSITIVE_INFINITY;
  let wallMs = 0;
  for (let i = 0; i < MEASUREMENTS; i += 1) {
    const before = monotonicMs();
    const now = systemClock.now();
    const after = monotonicMs();
    if (after - before >= shortestMs) continue;
    shortestMs = after - before;
    wallMs = now - (before + after) / 2;
  }
  return wallMs;
}

/**
 * Where there is no clock of the process, it is this thread's: so in browsers, and in Bun and Deno, whose `process.hrtime` begins with each
 * thread. Their threads agree unless the wall's time was corrected between the start of one and of another.
 */
function monotonicMs(): number {
  const { process } = globalThis as { process?: { hrtime?: { bigint?: () => bigint } } };
  const ns = process?.hrtime?.bigint?.();
  if (ns === undefined) return systemClock.now();
  const ms = Number(ns) / 1e6;
  const isThisThreads = Math.abs(ms - performance.now()) < SAME_CLOCK_MS;
  return isThisThreads ? systemClock.now() : ms;
}
