import { compileLimit } from "../../../algorithms/compile-limit.ts";
import { withCapacity } from "../../../algorithms/limits/calendar-window.ts";
import { concurrency } from "../../../algorithms/limits/concurrency.ts";
import { plainWindow } from "../../../algorithms/limits/plain-window.ts";
import { slidingWindow } from "../../../algorithms/limits/sliding-window.ts";
import { tokenBucket } from "../../../algorithms/limits/token-bucket.ts";
import { toMicroseconds } from "../../../core/duration.ts";
import type {
  CalendarUnit,
  CalendarWindowLimit,
  ConcurrencyLimit,
  FixedWindowLimit,
  Limit,
  SlidingWindowLimit,
  TokenBucketLimit,
} from "../../../core/limits/limit.ts";
import { tickScale } from "../../../core/limits/tick-scale.ts";

/** How units in use come back when nothing else is taken: one every `everyUs`, or all of them when the limit resets. */
export type Release = { readonly everyUs: number } | "all-at-reset";

/** A limit's kind, and its numbers. Times are in microseconds. */
export interface Description {
  readonly kind: string;
  readonly numbers: readonly number[];
}

/** What the Redis store knows of an algorithm. */
export interface ScriptAlgorithm<L extends Limit = Limit> {
  /** Steps (see `steps.ts`) to ask one limit, take from it and report its figures. */
  readonly roundSteps: number;
  /** The limit as rows describe it: its kind in `lua/kernels`, and the numbers of that kind. */
  describe(limit: L): Description;
  /** Capacity, ticks of a unit and of a microsecond, where the fast form can decide the limit. */
  fastNumbers(limit: L): readonly number[] | undefined;
  /** How many cells its ring may have; 0 where it has none. */
  ringCells(limit: L): number;
  /** Whether the moment of a take names what it took, such as a window by when it ends. */
  readonly isNamedByMoment: boolean;
  /** `undefined` where later figures do not follow exactly from a report. */
  release(limit: L): Release | undefined;
  /**
   * Microseconds in which the whole capacity comes back by itself, where units can be taken in advance; `undefined`
   * where they cannot.
   */
  leaseUs(limit: L): number | undefined;
  /** The limit of the same counts that a row described by a kind and its numbers. Its factory checks them. */
  remake(own: L, kind: string, next: () => number): Limit;
}

const TOKEN_BUCKETS: ScriptAlgorithm<TokenBucketLimit> = {
  roundSteps: 4,
  describe(limit) {
    const { capacity, refill, initial } = limit;
    const numbers = [capacity, periodUsOf(limit)];
    if (initial === "empty") return { kind: "e", numbers: [...numbers, refill, microseconds(limit.idleTtlMs)] };
    return refill === capacity ? { kind: "b", numbers } : { kind: "r", numbers: [...numbers, refill] };
  },
  fastNumbers(limit) {
    const { exact, units, ticksPerUnit } = scaleOf(limit);
    return exact && limit.initial === "full" ? [limit.capacity, ticksPerUnit, units] : undefined;
  },
  ringCells: () => 0,
  isNamedByMoment: false,
  // Exact where a unit is a whole number of microseconds: a tick is one then.
  release(limit) {
    const { exact, units } = scaleOf(limit);
    return exact && units === 1 ? { everyUs: Math.round(periodUsOf(limit) / limit.refill) } : undefined;
  },
  leaseUs: (limit) => (limit.initial === "full" ? (limit.capacity / limit.refill) * periodUsOf(limit) : undefined),
  remake({ name, unit, mode }, kind, next) {
    const capacity = next();
    const per = next() / 1_000;
    const own = { capacity, per, refill: kind === "b" ? capacity : next(), name, unit, mode };
    return tokenBucket(kind === "e" ? { ...own, initial: "empty", idleTtl: next() / 1_000 } : own);
  },
};

const SLIDING_WINDOWS: ScriptAlgorithm<SlidingWindowLimit> = {
  roundSteps: 10,
  describe: ({ capacity, windowMs, resolutionMs }) => ({
    kind: "s",
    numbers: [capacity, microseconds(windowMs), microseconds(resolutionMs)],
  }),
  fastNumbers: () => undefined,
  ringCells: cellCount,
  isNamedByMoment: true,
  release: () => undefined,
  leaseUs: () => undefined,
  remake({ name, unit, mode }, _kind, next) {
    const [limit, window, resolution] = [next(), next() / 1_000, next() / 1_000];
    return slidingWindow({ limit, window, resolution, name, unit, mode });
  },
};

const FIXED_WINDOWS: ScriptAlgorithm<FixedWindowLimit> = {
  roundSteps: 4,
  describe: ({ capacity, windowMs, anchor }) => ({
    kind: anchor === "clock" ? "c" : "f",
    numbers: [capacity, microseconds(windowMs)],
  }),
  fastNumbers: () => undefined,
  ringCells: () => 0,
  isNamedByMoment: true,
  release: () => "all-at-reset",
  leaseUs: ({ windowMs }) => toMicroseconds("window", windowMs),
  remake({ name, unit, mode }, kind, next) {
    const [limit, window] = [next(), next() / 1_000];
    return plainWindow({ limit, window, anchor: kind === "c" ? "clock" : "first-use", name, unit, mode });
  },
};

const NOMINAL_DAYS: Readonly<Record<CalendarUnit, number>> = { day: 1, week: 7, month: 30, year: 365 };

const CALENDAR_WINDOWS: ScriptAlgorithm<CalendarWindowLimit> = {
  roundSteps: 4,
  // Its window is part of the name of its counts.
  describe: ({ capacity }) => ({ kind: "d", numbers: [capacity] }),
  fastNumbers: () => undefined,
  ringCells: () => 0,
  isNamedByMoment: true,
  release: () => "all-at-reset",
  leaseUs: ({ window }) => NOMINAL_DAYS[window] * 86_400_000_000,
  remake: (own, _kind, next) => withCapacity(own, next()),
};

const CONCURRENCIES: ScriptAlgorithm<ConcurrencyLimit> = {
  roundSteps: 8,
  describe: ({ capacity, ttlMs }) => ({ kind: "p", numbers: [capacity, microseconds(ttlMs)] }),
  fastNumbers: () => undefined,
  // Cells without places are left out of a value, as those of rings are.
  ringCells: cellCount,
  isNamedByMoment: true,
  release: () => undefined,
  leaseUs: () => undefined,
  remake({ name, mode }, _kind, next) {
    const [max, ttl] = [next(), next() / 1_000];
    return concurrency({ max, ttl, name, mode });
  },
};

/** All that the Redis store knows of algorithms: a new algorithm is a row of this table, and its Lua. */
const SCRIPT_ALGORITHMS: {
  readonly [A in Limit["algorithm"]]: ScriptAlgorithm<Extract<Limit, { readonly algorithm: A }>>;
} = {
  "token-bucket": TOKEN_BUCKETS,
  "sliding-window": SLIDING_WINDOWS,
  "fixed-window": FIXED_WINDOWS,
  "calendar-window": CALENDAR_WINDOWS,
  concurrency: CONCURRENCIES,
};

/** The row of a limit's algorithm. */
export function scriptAlgorithmOf(limit: Limit): ScriptAlgorithm {
  return SCRIPT_ALGORITHMS[limit.algorithm];
}

/** Whether the moment of a take names what it took from the limit. */
export function isNamedByMoment(limit: Limit): boolean {
  return scriptAlgorithmOf(limit).isNamedByMoment;
}

/** How many cells a key has for the limit. */
function cellCount(limit: Limit): number {
  return compileLimit(limit, 0).size;
}

function periodUsOf({ perMs }: TokenBucketLimit): number {
  return toMicroseconds("per", perMs);
}

function scaleOf(limit: TokenBucketLimit): ReturnType<typeof tickScale> {
  return tickScale(limit.capacity, limit.refill, periodUsOf(limit));
}

/** A duration that a factory has checked. */
function microseconds(ms: number): number {
  return Math.round(ms * 1_000);
}
