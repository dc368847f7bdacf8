import { type LimitSpec, libraryLimit } from "../../../properties/limit-spec.ts";
import type { Random } from "../script/kit/random.ts";

const AN_HOUR_US = 3_600_000_000;
export const LONGEST_SHORT_US = 5_000_000;

/** Random limits of one list, of which not all may be leased if `mayBeStrict`. */
export function listOf(random: Random, mayBeStrict: boolean): readonly LimitSpec[] {
  const first = specOf(random, mayBeStrict, "requests");
  if (random.chance(0.6)) return [first];
  return [first, specOf(random, mayBeStrict, random.of(["requests", "tokens"]))];
}

/** A limit that refills, or has its window, in seconds or in an hour. */
function specOf(random: Random, mayBeStrict: boolean, unit: "requests" | "tokens"): LimitSpec {
  const us = random.chance(0.3) ? AN_HOUR_US : shortUs(random);
  const kind = random.weighted({ bucket: 4, window: 4, sliding: mayBeStrict ? 3 : 0 });
  if (kind === "bucket") return bucketOf(random.between(40, 100), us, unit);
  const common = { unit, mode: "enforce", limit: random.between(40, 100), windowUs: us } as const;
  if (kind === "sliding") return { ...common, kind: "sliding-window", resolutionUs: us / 1_000 };
  return { ...common, kind: "fixed-window", anchor: random.of(["clock", "first-use"]) };
}

function bucketOf(capacity: number, perUs: number, unit: "requests" | "tokens"): LimitSpec {
  const numbers = { capacity, refill: capacity, perUs, initial: "full", idleTtlUs: undefined } as const;
  return { kind: "token-bucket", unit, mode: "enforce", ...numbers };
}

/** One bucket that refills in seconds: what nodes spend when a lease ends matters. */
export function shortBucket(random: Random): readonly LimitSpec[] {
  return [bucketOf(random.between(80, 150), LONGEST_SHORT_US, "requests")];
}

function shortUs(random: Random): number {
  return 1_000 * random.between(1_500, LONGEST_SHORT_US / 1_000);
}

/** The same list with another capacity of its first limit. */
export function changed([first, ...others]: readonly LimitSpec[], capacity: number): readonly LimitSpec[] {
  if (first?.kind === "token-bucket") return [{ ...first, capacity, refill: capacity }, ...others];
  return [{ ...first!, limit: capacity }, ...others];
}

export function limitsOf(list: readonly LimitSpec[]) {
  return list.map((spec, i) => libraryLimit(spec, `limit ${i}`));
}

/** The time in which all of a limit comes back. */
export function refillUsOf(spec: LimitSpec): number {
  return spec.kind === "token-bucket" ? spec.perUs : spec.windowUs;
}

/** Whether so little comes back during a simulation that what is used is what was admitted. */
export function isLong(spec: LimitSpec): boolean {
  return refillUsOf(spec) === AN_HOUR_US;
}
