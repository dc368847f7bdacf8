import { type Clock, systemClock } from "../../core/clock.ts";

/**
 * If the two clocks differ by less than this, `process.hrtime` is the thread's own. A clock of the process is ahead by
 * the machine's uptime.
 */
const SAME_CLOCK_MS = 10;
/** How many times the offset is measured. The shortest measurement counts. */
const MEASUREMENTS = 16;

/**
 * A clock on which all threads of a process agree. Each thread's `systemClock` starts from the wall time at which that
 * thread started. If the wall time is corrected between two starts, these clocks differ from then on. The monotonic
 * clock of the process is the same for all threads.
 *
 * @param wallMs the wall time at which the monotonic clock was 0, as the first thread measured it.
 */
export function agreedClock(wallMs: number): Clock {
  const aheadMs = wallMs - wallAtZeroMs();
  return Object.freeze({ now: () => systemClock.now() + aheadMs });
}

/** The wall time at which the monotonic clock of the process was 0, measured by this thread's `systemClock`. */
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
 * The monotonic clock of the process, or the thread's own clock where the process has none: in browsers, and in Bun and
 * Deno, whose `process.hrtime` starts with each thread. There, threads agree unless the wall time is corrected between
 * their starts.
 */
function monotonicMs(): number {
  const { process } = globalThis as { process?: { hrtime?: { bigint?: () => bigint } } };
  const ns = process?.hrtime?.bigint?.();
  if (ns === undefined) return systemClock.now();
  const ms = Number(ns) / 1e6;
  const isThisThreads = Math.abs(ms - performance.now()) < SAME_CLOCK_MS;
  return isThisThreads ? systemClock.now() : ms;
}
