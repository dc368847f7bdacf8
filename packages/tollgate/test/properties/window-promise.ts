import fc from "fast-check";
import { createLimiter, type Limiter, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { SlidingLog } from "../reference/sliding-log.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { callsOf, type Load, type LoadCall, load, type WindowSpec } from "./window-load.ts";

const KEY = "ann";
/** A moment in 2026, or any moment of the first hour. */
const start = fc.oneof(fc.constant(1_790_000_000_123_457), fc.integer({ min: 0, max: 3_600_000_000 }));

/** Plays a load and calls `judge` for each call. The clock may go back, but not before the epoch. */
function play(
  { window, startUs, segments }: Load,
  judge: (call: LoadCall, nowUs: number, limiter: Limiter) => void,
): void {
  const clock = manualClock(startUs / 1_000);
  const limits = [
    slidingWindow({ limit: window.limit, window: window.windowUs / 1_000, resolution: window.resolutionUs / 1_000 }),
  ];
  const limiter = createLimiter({ limits, clock });
  let nowUs = startUs;
  for (const segment of segments) {
    for (const call of callsOf(segment, window)) {
      nowUs = Math.max(0, nowUs + call.afterUs);
      clock.set(nowUs / 1_000);
      judge(call, nowUs, limiter);
    }
  }
}

function expectSame(what: string, got: unknown, expected: unknown, nowUs: number): void {
  if (got !== expected) throw new Error(`${what} at ${nowUs} µs: got ${String(got)}, expected ${String(expected)}`);
}

/** Fails unless the limiter decides as the log does, to the microsecond. */
function decidesAsTheLog(one: Load): void {
  const { limit, windowUs, resolutionUs } = one.window;
  const log = new SlidingLog(BigInt(limit), BigInt(windowUs), BigInt(resolutionUs));
  play(one, ({ verb, cost }, nowUs, limiter) => {
    const now = BigInt(nowUs);
    const units = BigInt(cost);
    if (verb === "refund") {
      limiter.refund(KEY, cost);
      log.refund(now, units);
      return;
    }
    const conforms = log.conforms(now, units);
    if (conforms || verb === "charge") log.take(now, units);
    const decision = verb === "charge" ? limiter.charge(KEY, cost) : limiter.consume(KEY, cost);
    expectSame("allowed", decision.allowed, conforms, nowUs);
    expectSame("used", decision.limitRemaining, Math.max(0, limit - Number(log.used(now))), nowUs);
    if (!decision.allowed) {
      expectSame("retryAfterMs", decision.retryAfterMs, Number(log.waitUs(now, units)) / 1_000, nowUs);
    }
  });
}

/**
 * No unit counts for longer than the window and the span of a group. So where an exact log of that length admits, the
 * limiter admits too, however the clock moves.
 */
function neverDeniesWhatWasPromised(one: Load): void {
  const log = longestLog(one.window);
  play(one, ({ verb, cost }, nowUs, limiter) => {
    const now = BigInt(nowUs);
    const units = BigInt(cost);
    if (verb === "refund") {
      // The log's units stay for longer. Units that the limiter no longer counts are not refunded.
      const used = BigInt(limiter.explain(KEY)[0]?.used ?? 0);
      limiter.refund(KEY, cost);
      log.refund(now, used < units ? used : units);
      return;
    }
    const conforms = log.conforms(now, units);
    const { allowed } = verb === "charge" ? limiter.charge(KEY, cost) : limiter.consume(KEY, cost);
    if (conforms) expectSame("allowed", allowed, true, nowUs);
    if (allowed || verb === "charge") log.take(now, units);
  });
}

function longestLog({ limit, windowUs, resolutionUs }: WindowSpec): SlidingLog {
  return new SlidingLog(BigInt(limit), BigInt(windowUs + Math.max(0, resolutionUs - 1)), 1n);
}

const FORWARD = ["steady", "grained", "burst", "taken-back", "charged", "refund", "pause"] as const;

export const WINDOW_PROMISE: readonly NamedProperty[] = [
  namedProperty("a sliding window decides as a log without bounds", 0.06, load(FORWARD, start), decidesAsTheLog),
  namedProperty(
    "a sliding window denies nothing that it promises when the clock goes back",
    0.06,
    load([...FORWARD, "back", "back"], start),
    neverDeniesWhatWasPromised,
  ),
];
