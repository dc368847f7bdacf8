import { combine, createLimiter, type Handle, type Limit, type Limiter, memoryStore } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import { plainStore } from "../limiter/plain-store.ts";
import { createModel, type Model } from "../reference/model.ts";
import type { ModelLimit } from "../reference/model-limit.ts";
import { twoEnds } from "../stores/shared/two-ends.ts";
import { type LimitSpec, libraryLimit, modelLimit } from "./limit-spec.ts";
import type { StoreKind } from "./scenario.ts";

/** One key for each limiter. */
export type Input = readonly string[];

/** A limiter of the library beside its model. */
export interface Pair {
  readonly name: string;
  readonly specs: readonly LimitSpec[];
  readonly limits: readonly Limit[];
  readonly limiter: Limiter<Input>;
  /** One model of all limits, or one for each limit if limits are chosen per call. */
  readonly models: readonly Model[];
}

/** Limiters on one store and one clock, each beside its model. */
export interface World {
  readonly startUs: number;
  readonly clock: ManualClock;
  readonly pairs: readonly Pair[];
  readonly first: Pair;
  /** All of them as one limiter. */
  readonly all: Limiter<Input>;
  /** The key of an input as the library reports it, and as the models know it. */
  readonly textOf: (input: Input, place: number) => string;
  /** The handle of an input. Each call with the same input returns the same handle. */
  readonly handleOf: (limiter: Limiter<Input>, input: Input) => Handle;
}

export interface WorldOptions {
  readonly buckets?: "ticks" | "exact";
  readonly store?: StoreKind;
  /** Passes the library a function that returns the limits, in place of the limits. */
  readonly chosenPerCall?: boolean;
  /** The library's keys are tuples of a text, a number and a bigint. */
  readonly tuples?: boolean;
}

/** Enough for three keys under two limiters of three limits each. */
const AMPLE_KEYS = 40;

const STORES: Readonly<Record<StoreKind, () => readonly SyncStore[]>> = {
  memory: () => [memoryStore()],
  plain: () => [plainStore()],
  table: () => [tableStore({ maxKeys: AMPLE_KEYS })],
  shared: () => twoEnds({ maxKeys: AMPLE_KEYS, maxBytes: 2 ** 30 }),
};

export function createWorld(
  startUs: number,
  limiters: readonly (readonly LimitSpec[])[],
  options: WorldOptions = {},
): World {
  const { buckets = "ticks", chosenPerCall = false, tuples = false } = options;
  const stores = STORES[options.store ?? "memory"]();
  const clock = manualClock(startUs / 1_000);
  const modelOf = (modelled: readonly ModelLimit[]) => createModel({ limits: modelled, buckets });
  const textOf: World["textOf"] = (input, place) => {
    const key = input[place] ?? "";
    return tuples ? `[${JSON.stringify(key)},${place},7n]` : key;
  };
  const pairs = limiters.map((specs, place): Pair => {
    const limits = specs.map((spec, i) => libraryLimit(spec, `limit-${i}`));
    const modelled = limits.map(modelLimit);
    const name = `limiter-${place}`;
    return {
      name,
      specs,
      limits,
      limiter: createLimiter({
        name,
        key: (input: Input) => (tuples ? [input[place] ?? "", place, 7n] : (input[place] ?? "")),
        limits: chosenPerCall ? () => limits : limits,
        store: stores[place % stores.length]!,
        clock,
      }),
      models: chosenPerCall ? modelled.map((one) => modelOf([one])) : [modelOf(modelled)],
    };
  });
  const [first, second] = pairs;
  if (first === undefined) throw new Error("expected at least one limiter");
  const all = second === undefined ? first.limiter : combine(first.limiter, second.limiter);
  return { startUs, clock, pairs, first, all, textOf, handleOf: createHandles() };
}

function createHandles(): World["handleOf"] {
  const handles = new Map<Limiter<Input>, Map<string, Handle>>();
  return (limiter, input) => {
    const known = handles.get(limiter) ?? new Map<string, Handle>();
    handles.set(limiter, known);
    const name = JSON.stringify(input);
    const handle = known.get(name) ?? limiter.handle(input);
    known.set(name, handle);
    return handle;
  };
}
