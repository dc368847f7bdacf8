import { CalendarWindowRules } from "./calendar-window.ts";
import { FixedWindow, FixedWindowRules } from "./fixed-window.ts";
import type { LimitRules, LimitState } from "./limit-state.ts";
import { SlidingWindow, SlidingWindowRules } from "./sliding-window.ts";
import { TickBucket, TickBucketRules } from "./tick-bucket.ts";
import { larger, smaller } from "./whole-numbers.ts";

/** The tick of a bucket that was full at all times. */
const ALWAYS = -(10n ** 30n);

/** What a key has used under a limit, as its state under other numbers of the limit: the same algorithm and window. */
export function carriedOver(to: LimitRules, from: LimitRules, state: LimitState, nowUs: bigint): LimitState {
  if (to instanceof TickBucketRules && from instanceof TickBucketRules && state instanceof TickBucket)
    return bucketOf(to, ticksIn(to, from, state, nowUs), nowUs);
  if ((to instanceof FixedWindowRules || to instanceof CalendarWindowRules) && state instanceof FixedWindow)
    return new FixedWindow(to, state.endUs, state.units);
  if (to instanceof SlidingWindowRules && from instanceof SlidingWindowRules && state instanceof SlidingWindow)
    return logOf(to, from, state, nowUs);
  throw new Error("expected numbers of one algorithm");
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

/** Groups keep their times, and their openings as well if the resolution stays. */
function logOf(to: SlidingWindowRules, from: SlidingWindowRules, state: SlidingWindow, nowUs: bigint): LimitState {
  const none: LimitState = to.fresh();
  const groups = state.counting(nowUs);
  if (from.spanUs === to.spanUs && groups.length <= Number(to.most)) return new SlidingWindow(to, groups);
  return groups.reduce((log, { lastUs, units }) => (units > 0n ? log.take(lastUs, units) : log), none);
}
