import { FixedWindow, FixedWindowRules } from "./fixed-window.ts";
import type { LimitRules, LimitState } from "./limit-state.ts";
import { SlidingWindow, SlidingWindowRules } from "./sliding-window.ts";
import { TickBucket, TickBucketRules } from "./tick-bucket.ts";
import { larger, smaller } from "./whole-numbers.ts";

/** The tick of a bucket that was full at all times. */
const ALWAYS = -(10n ** 30n);

/** What a key has used under one limit, as its state under another limit of the same name. */
export function carriedOver(to: LimitRules, from: LimitRules, state: LimitState, nowUs: bigint): LimitState {
  if (to instanceof TickBucketRules) {
    const { ticksPerUnit } = to.scale;
    const isBucket = from instanceof TickBucketRules && state instanceof TickBucket;
    return bucketOf(to, isBucket ? ticksIn(to, from, state, nowUs) : state.used(nowUs) * ticksPerUnit, nowUs);
  }
  if (to instanceof FixedWindowRules) return windowOf(to, from, state, nowUs);
  if (to instanceof SlidingWindowRules) return logOf(to, from, state, nowUs);
  throw new Error("every rule has an algorithm");
}

/** Whole units stay whole. The fraction of a unit is a quotient of doubles, rounded down, and two ticks more. */
function ticksIn(to: TickBucketRules, from: TickBucketRules, state: TickBucket, nowUs: bigint): bigint {
  const perUnit = from.scale.ticksPerUnit;
  const used = larger(state.fullAt - from.scale.ticks(nowUs), 0n);
  const rest = used % perUnit;
  const whole = (used / perUnit) * to.scale.ticksPerUnit;
  if (rest === 0n) return whole;
  const part = Math.floor((Number(rest) / Number(perUnit)) * Number(to.scale.ticksPerUnit)) + 2;
  return whole + smaller(BigInt(part), to.scale.ticksPerUnit);
}

function bucketOf(rules: TickBucketRules, ticks: bigint, nowUs: bigint): TickBucket {
  if (ticks === 0n) return new TickBucket(rules, ALWAYS);
  return new TickBucket(rules, rules.scale.ticks(nowUs) + smaller(ticks, rules.scale.mostDebt));
}

/** The same window stays open. In another one the units count as if they were taken now. */
function windowOf(to: FixedWindowRules, from: LimitRules, state: LimitState, nowUs: bigint): FixedWindow {
  const units = state.used(nowUs);
  const isSame = from instanceof FixedWindowRules && from.windowUs === to.windowUs && from.anchor === to.anchor;
  if (isSame && state instanceof FixedWindow) return new FixedWindow(to, state.startUs, units);
  return new FixedWindow(to, units === 0n ? 0n : to.startUs(nowUs), units);
}

/** Groups keep their times, and their openings as well if the window and the resolution stay. */
function logOf(to: SlidingWindowRules, from: LimitRules, state: LimitState, nowUs: bigint): LimitState {
  const none: LimitState = to.fresh();
  if (!(from instanceof SlidingWindowRules && state instanceof SlidingWindow))
    return none.take(nowUs, state.used(nowUs));
  const groups = state.counting(nowUs);
  const isSame = from.windowUs === to.windowUs && from.spanUs === to.spanUs;
  if (isSame && groups.length <= Number(to.ring)) return new SlidingWindow(to, BigInt(groups.length), groups);
  return groups.reduce((log, { lastUs, units }) => (units > 0n ? log.take(lastUs, units) : log), none);
}
