import {
  type AsyncHandle,
  type AsyncLimiter,
  combine,
  createLimiter,
  type Handle,
  type Limit,
  type Limiter,
  memoryStore,
} from "tollgate";
import type { AsyncStore, SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import { plainStore } from "../limiter/plain-store.ts";
import type { BlockingModel, ModelBlock } from "../reference/blocks.ts";
import { ChangingKeys, createVersion, type NamedLimit } from "../reference/changing-model.ts";
import { createModel } from "../reference/model.ts";
import { twoEnds } from "../stores/shared/two-ends.ts";
import { type LimitSpec, libraryLimit, modelBlockFor, modelLimit } from "./limit-spec.ts";
import type { StoreKind, VersionSpec } from "./scenario.ts";

/** One key for each limiter. */
export type Input = readonly string[];
export type AnyStore = SyncStore | AsyncStore;

/** The model of one plan. */
export interface PlanModel extends BlockingModel {
  /** The limits that the last call was counted against. */
  readonly counted: () => readonly NamedLimit[];
}

/** A limiter of the library beside its model. */
export interface Pair {
  readonly name: string;
  /** Which key of an input is its own. */
  readonly place: number;
  readonly specs: readonly LimitSpec[];
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  /** One model of all limits, or one for each limit if limits are chosen per call. */
  readonly models: readonly PlanModel[];
}

/** Limiters on one clock, each beside its model. */
export interface World {
  readonly startUs: number;
  readonly clock: ManualClock;
  readonly pairs: readonly Pair[];
  /** The first two as one limiter. */
  readonly all: Limiter<Input> | AsyncLimiter<Input>;
  /** The limiters of a step: the versions of a limiter use their stores in turn. */
  readonly targetsOf: (who: number, played: number) => readonly Pair[];
  readonly keyOf: (place: number) => string;
  /** The key of an input as the library reports it, and as the models know it. */
  readonly textOf: (input: Input, place: number) => string;
  /** The handle of an input. Each call with the same input returns the same handle. */
  readonly handleOf: (limiter: Pair["limiter"], input: Input) => Handle | AsyncHandle;
}

export interface WorldOptions {
  readonly buckets?: "ticks" | "exact";
  /** In place of those that the scenario names. */
  readonly stores?: readonly AnyStore[];
  /** Passes the library a function that returns the limits, in place of the limits. */
  readonly chosenPerCall?: boolean;
  /** The library's keys are tuples of a text, a number and a bigint. */
  readonly tuples?: boolean;
}

const KEYS = ["ann", "__proto__", "\ud800 lone"] as const;
/** Enough for three keys under two limiters of three limits each. */
const AMPLE_KEYS = 40;

const STORES: Readonly<Record<StoreKind, () => readonly SyncStore[]>> = {
  memory: () => [memoryStore()],
  plain: () => [plainStore()],
  table: () => [tableStore({ maxKeys: AMPLE_KEYS })],
  shared: () => twoEnds({ maxKeys: AMPLE_KEYS, maxBytes: 2 ** 30 }),
};

/** One or several limiters, each with a model of its own. */
export function createWorld(
  startUs: number,
  limiters: readonly (readonly LimitSpec[])[],
  kind: StoreKind,
  { buckets = "ticks", chosenPerCall = false, tuples = false, ...options }: WorldOptions = {},
): World {
  const clock = manualClock(startUs / 1_000);
  const stores = options.stores ?? STORES[kind]();
  const pairs = limiters.map((specs, place): Pair => {
    const limits = specs.map((spec, i) => libraryLimit(spec, `limit-${i}`));
    const name = `limiter-${place}`;
    return {
      ...{ name, place, specs },
      limiter: limiterOver(stores[place % stores.length]!, {
        ...{ name, clock },
        key: (input: Input) => (tuples ? [input[place] ?? "", place, 7n] : (input[place] ?? "")),
        limits: chosenPerCall ? () => limits : limits,
      }),
      models: plansOf(limits, chosenPerCall).map((plan) => {
        const model = createModel({ limits: plan.map(({ limit }) => limit), buckets });
        return { model, blocksFor: [], blocks: new Map(), counted: () => plan };
      }),
    };
  });
  return worldOf(startUs, clock, pairs, {
    keyOf: (place) => KEYS[place] ?? "",
    textOf: (input, place) => {
      const key = input[place] ?? "";
      return tuples ? `[${JSON.stringify(key)},${place},7n]` : key;
    },
  });
}

/** Versions of one limiter, which know the same keys, over stores that share them. */
export function createVersions(
  startUs: number,
  versions: readonly VersionSpec[],
  storesOf: (version: number) => readonly AnyStore[],
): World {
  const clock = manualClock(startUs / 1_000);
  const known = new Known();
  const pairs = versions.map((version, i) => {
    const limits = version.limits.map((limit) => libraryLimit(limit, limit.name, limit.blockFor));
    return storesOf(i).map((store) =>
      pairOf("api", { ...version, specs: version.limits, limits, store, clock }, known),
    );
  });
  const world = worldOf(startUs, clock, pairs.flat(), {
    keyOf: (place) => HELD_KEYS[place] ?? `key-${place}`,
    textOf: (input) => input[0] ?? "",
  });
  return {
    ...world,
    targetsOf: (who, played) => {
      const ends = pairs[who % pairs.length] ?? [];
      return [ends[played % ends.length]!];
    },
  };
}

/** Limiters of fixed lists that block, each with keys of its own. */
export function createBlockers(
  startUs: number,
  lists: Readonly<Record<string, readonly Limit[]>>,
  store: AnyStore,
): World {
  const clock = manualClock(startUs / 1_000);
  const pairs = Object.entries(lists).map(([name, limits]) =>
    pairOf(name, { specs: [], limits, onChange: "carry-over", isChosen: false, store, clock }, new Known()),
  );
  return worldOf(startUs, clock, pairs, {
    keyOf: (place) => [...HELD_KEYS, "a rather long key, of more than a few units"][place] ?? "",
    textOf: (input) => input[0] ?? "",
  });
}

function worldOf(
  startUs: number,
  clock: ManualClock,
  pairs: readonly Pair[],
  names: Pick<World, "keyOf" | "textOf">,
): World {
  const [first, second] = pairs;
  if (first === undefined) throw new Error("expected at least one limiter");
  const both = [first.limiter, second?.limiter] as never[];
  const isAlone = second === undefined || second.name === first.name;
  const all: World["all"] = isAlone ? first.limiter : (combine(...both) as Limiter<Input>);
  const targetsOf: World["targetsOf"] = (who) => (pairs[who] === undefined ? pairs.slice(0, 2) : [pairs[who]]);
  return { startUs, clock, pairs, all, targetsOf, ...names, handleOf: createHandles() };
}

/** What the model knows of all versions of a limiter: keys and their blocks. */
class Known {
  readonly keys = new ChangingKeys();
  readonly blocks = new Map<string, ModelBlock>();
}

/** The first keys of versions and blockers. */
const HELD_KEYS: readonly string[] = ["ann", "bob"];

interface VersionOptions extends Omit<VersionSpec, "limits"> {
  readonly specs: readonly LimitSpec[];
  readonly limits: readonly Limit[];
  readonly store: AnyStore;
  readonly clock: ManualClock;
}

function pairOf(
  name: string,
  { specs, limits, onChange, isChosen, store, clock }: VersionOptions,
  { keys, blocks }: Known,
): Pair {
  const key = ([own = ""]: Input) => own;
  const limiter = limiterOver(store, { name, key, limits: isChosen ? () => limits : limits, clock, onChange });
  // Limits that a function chooses are opened by the first call. Each end of a shared store knows those that it opened.
  limiter.handle([""]);
  const models = plansOf(limits, isChosen).map((plan): PlanModel => {
    const model = createVersion(keys, plan, onChange);
    const blocksFor = plan.map((one) => modelBlockFor(limits.find((limit) => limit.name === one.name)!));
    return { model, blocksFor, blocks, counted: () => model.counted };
  });
  return { name, place: 0, specs, limiter, models };
}

/** The limits of each plan, as the model knows them. */
function plansOf(limits: readonly Limit[], isChosen: boolean): readonly (readonly NamedLimit[])[] {
  const named = limits.map(
    (limit): NamedLimit => ({ name: limit.name, numbers: limit.fingerprint, limit: modelLimit(limit) }),
  );
  return isChosen ? named.map((one) => [one]) : [named];
}

type Options = Parameters<typeof createLimiter<Input>>[0];

function limiterOver(store: AnyStore, options: Omit<Options, "store">): Pair["limiter"] {
  return store.kind === "sync" ? createLimiter({ ...options, store }) : createLimiter({ ...options, store });
}

function createHandles(): World["handleOf"] {
  const handles = new Map<Pair["limiter"], Map<string, Handle | AsyncHandle>>();
  return (limiter, input) => {
    const known = handles.get(limiter) ?? new Map<string, Handle | AsyncHandle>();
    handles.set(limiter, known);
    const name = JSON.stringify(input);
    const handle = known.get(name) ?? limiter.handle(input);
    known.set(name, handle);
    return handle;
  };
}
