import { compileLimit } from "../../../algorithms/compile-limit.ts";
import { stepUsOf } from "../../../algorithms/concurrency.ts";
import { concurrency } from "../../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../../algorithms/limits/sliding-window.ts";
import { tokenBucket } from "../../../algorithms/limits/token-bucket.ts";
import { Ticks } from "../../../algorithms/ticks.ts";
import { toMicroseconds } from "../../../core/duration.ts";
import type {
  ConcurrencyLimit,
  FixedWindowLimit,
  Limit,
  SlidingWindowLimit,
  TokenBucketLimit,
} from "../../../core/limits/limit.ts";
import type { LimitMode } from "../../../core/limits/limit-common.ts";
import { tickScale } from "../../../core/limits/tick-scale.ts";
import { fractionOfRate, type TooSlow } from "./fraction-of-rate.ts";

/** How units in use come back when nothing else is taken: one every `everyUs`, or all of them when the limit resets. */
export type Release = { readonly everyUs: number } | "all-at-reset";

/** What the Redis store knows of an algorithm. */
export interface ScriptAlgorithm<L extends Limit = Limit> {
  /** Names the algorithm in the script's arguments. */
  readonly code: string;
  /** The function of the Lua that returns the kernel. */
  readonly maker: string;
  /** Steps (see `steps.ts`) to ask one limit, take from it and report its figures. */
  readonly roundSteps: number;
  /** The numbers that follow code, mode, first cell and capacity, in the order in which the Lua reads them. */
  numbers(limit: L, originUs: number): readonly (number | string)[];
  /** Capacity, ticks of a unit, origin and ticks of a microsecond, where the short forms can decide the limit. */
  shortForm(limit: L, originUs: number): readonly number[] | undefined;
  /** How many cells its ring may have; 0 where it has none. Rings lie last in a value. */
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
  /** The limit that another process described by its fields, in a mode. Its factory checks them. */
  remake(limit: L, mode: LimitMode): Limit;
  /** A limit of this capacity, at the fraction of the rate. */
  fraction(limit: L, capacity: number, fraction: number, tooSlow: TooSlow): Limit;
}

const TOKEN_BUCKETS: ScriptAlgorithm<TokenBucketLimit> = {
  code: "b",
  maker: "token_buckets",
  roundSteps: 4,
  numbers(limit, originUs) {
    const ticks = ticksOf(limit, originUs);
    const { units, periodUs, ticksPerUnit } = scaleOf(limit);
    return [
      ticks.perUnit,
      ticks.originUs,
      ticks.mostDebt,
      flag(limit.initial === "full"),
      flag(ticks.exact),
      ticks.perUs,
      ...(ticks.exact ? [] : [periodUs, units * ticksPerUnit]),
    ];
  },
  shortForm(limit, originUs) {
    const ticks = ticksOf(limit, originUs);
    const isExactAndFull = ticks.exact && limit.initial === "full";
    return isExactAndFull ? [limit.capacity, ticks.perUnit, ticks.originUs, ticks.perUs] : undefined;
  },
  ringCells: () => 0,
  isNamedByMoment: false,
  // Exact where a unit is a whole number of microseconds: a tick is one then.
  release(limit) {
    const { exact, units } = scaleOf(limit);
    return exact && units === 1 ? { everyUs: Math.round(periodUsOf(limit) / limit.refill) } : undefined;
  },
  leaseUs: (limit) => (limit.initial === "full" ? (limit.capacity / limit.refill) * periodUsOf(limit) : undefined),
  remake({ capacity, refill, perMs: per, name, unit, initial, idleTtlMs }, mode) {
    const own = { capacity, refill, per, name, unit, mode };
    return tokenBucket(initial === "full" ? own : { ...own, initial, idleTtl: idleTtlMs });
  },
  fraction(limit, capacity, fraction, tooSlow) {
    const { name, unit, mode, initial } = limit;
    const { refill, perUs } = fractionOfRate(limit, fraction, tooSlow);
    const per = perUs / 1_000;
    return initial === "full"
      ? tokenBucket({ capacity, refill, per, name, unit, mode })
      : tokenBucket({ capacity, refill, per, name, unit, mode, initial, idleTtl: limit.idleTtlMs });
  },
};

/** Cells of a sliding window outside its ring, and per place of the ring. */
const BEFORE_RING = 2;
const PER_PLACE = 2;

const SLIDING_WINDOWS: ScriptAlgorithm<SlidingWindowLimit> = {
  code: "s",
  maker: "sliding_windows",
  roundSteps: 5,
  numbers(limit) {
    // Time comes in whole microseconds: units of the same one leave together anyway.
    const resolutionUs = limit.resolutionMs === 0 ? 1 : toMicroseconds("resolution", limit.resolutionMs);
    const places = (cellCount(limit) - BEFORE_RING) / PER_PLACE;
    return [toMicroseconds("window", limit.windowMs), resolutionUs, places];
  },
  shortForm: () => undefined,
  ringCells: cellCount,
  isNamedByMoment: true,
  release: () => undefined,
  leaseUs: () => undefined,
  remake({ capacity: limit, windowMs: window, resolutionMs: resolution, name, unit }, mode) {
    return slidingWindow({ limit, window, resolution, name, unit, mode });
  },
  fraction({ windowMs, resolutionMs, name, unit, mode }, capacity) {
    return slidingWindow({ limit: capacity, window: windowMs, resolution: resolutionMs, name, unit, mode });
  },
};

/** The moment of a group of places, and how many they are. */
const CELLS_OF_GROUP = 2;

const FIXED_WINDOWS: ScriptAlgorithm<FixedWindowLimit> = {
  code: "f",
  maker: "fixed_windows",
  roundSteps: 4,
  numbers: ({ windowMs, anchor }) => [toMicroseconds("window", windowMs), flag(anchor === "clock")],
  shortForm: () => undefined,
  ringCells: () => 0,
  isNamedByMoment: true,
  release: () => "all-at-reset",
  leaseUs: ({ windowMs }) => toMicroseconds("window", windowMs),
  remake({ capacity: limit, windowMs: window, anchor, name, unit }, mode) {
    return fixedWindow({ limit, window, anchor, name, unit, mode });
  },
  fraction({ windowMs, anchor, name, unit, mode }, capacity) {
    return fixedWindow({ limit: capacity, window: windowMs, anchor, name, unit, mode });
  },
};

const CONCURRENCIES: ScriptAlgorithm<ConcurrencyLimit> = {
  code: "c",
  maker: "concurrencies",
  roundSteps: 8,
  numbers(limit) {
    return [toMicroseconds("ttl", limit.ttlMs), stepUsOf(limit), cellCount(limit) / CELLS_OF_GROUP];
  },
  shortForm: () => undefined,
  // Cells without places are left out of a value, as those of rings are.
  ringCells: cellCount,
  isNamedByMoment: true,
  release: () => undefined,
  leaseUs: () => undefined,
  remake({ capacity: max, ttlMs: ttl, name }, mode) {
    return concurrency({ max, ttl, name, mode });
  },
  fraction({ ttlMs: ttl, name, mode }, capacity) {
    return concurrency({ max: capacity, ttl, name, mode });
  },
};

/** All that the Redis store knows of algorithms: a new algorithm is a row of this table, and its Lua. */
export const SCRIPT_ALGORITHMS: {
  readonly [A in Limit["algorithm"]]: ScriptAlgorithm<Extract<Limit, { readonly algorithm: A }>>;
} = {
  "token-bucket": TOKEN_BUCKETS,
  "sliding-window": SLIDING_WINDOWS,
  "fixed-window": FIXED_WINDOWS,
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
export function cellCount(limit: Limit): number {
  return compileLimit(limit, 0).size;
}

function periodUsOf({ perMs }: TokenBucketLimit): number {
  return toMicroseconds("per", perMs);
}

function scaleOf(limit: TokenBucketLimit): ReturnType<typeof tickScale> {
  return tickScale(limit.capacity, limit.refill, periodUsOf(limit));
}

function ticksOf(limit: TokenBucketLimit, originUs: number): Ticks {
  return new Ticks(limit.capacity, limit.refill, periodUsOf(limit), originUs);
}

function flag(value: boolean): string {
  return value ? "1" : "0";
}
