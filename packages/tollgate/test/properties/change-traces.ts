import fc from "fast-check";
import {
  type AsyncHandle,
  type AsyncLimiter,
  createLimiter,
  type Decision,
  type Handle,
  type Limit,
  type Limiter,
  type LimitStatus,
  memoryStore,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import type { AsyncStore, SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import {
  type BlockedOutcome,
  type BlockingModel,
  block,
  callWithBlocks,
  isBlocked,
  type ModelBlock,
} from "../reference/blocks.ts";
import { ChangingKeys, createVersion, type NamedLimit, type Version } from "../reference/changing-model.ts";
import { explain, transact } from "../reference/model.ts";
import { HELD_KEYS, type Step, type Trace, traceWithBlocks, type VersionSpec } from "./change-trace-arbitrary.ts";
import { libraryLimit, modelBlockFor, modelLimit } from "./limit-spec.ts";

const START_MS = 1_790_000_000_123;

export const IN_PROCESS: readonly [name: string, createStore: () => SyncStore][] = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 64, maxBytes: 2 ** 24 })],
  ["the shared store", () => sharedStore({ maxKeys: 64, maxBytes: 2 ** 25 })],
];

type CreateStores = () => readonly SyncStore[];

/** Plays random traces of at least so many calls in all, over stores or attachments that share their keys. */
export function playTraces(createStores: CreateStores, calls: number, traces = traceWithBlocks, numRuns = 100): void {
  for (let played = 0; played < calls; ) played += playSomeTraces(createStores, traces, numRuns);
}

function playSomeTraces(createStores: CreateStores, traces: fc.Arbitrary<Trace>, numRuns: number): number {
  let played = 0;
  const property = fc.property(traces, (one) => {
    played += playChanges(one, createStores());
  });
  fc.assert(property, { numRuns });
  return played;
}

interface BlockingVersion extends BlockingModel {
  readonly model: Version;
}

/** A limiter beside its model. */
export interface Pair {
  readonly limiter: Limiter | AsyncLimiter;
  /** One for each plan. */
  readonly models: readonly BlockingVersion[];
  /** One handle for each key, held across all changes. */
  readonly handles: (key: string) => Handle | AsyncHandle;
}

/**
 * Plays a trace over the model and over the stores, which are called in turn.
 *
 * @returns how many calls it made.
 * @throws Error when model and stores differ.
 */
function playChanges({ versions, steps }: Trace, stores: readonly SyncStore[]): number {
  const playStep = playerOf(versions, () => stores);
  for (const step of steps) compare(step, ...playStep(step));
  return steps.length;
}

/** Plays a trace over stores that know each other's limits from the server alone: each version has one in turn. */
export async function playChangesOver({ versions, steps }: Trace, stores: readonly AsyncStore[]): Promise<number> {
  const playStep = playerOf(versions, (version) => [stores[version % stores.length]!]);
  for (const step of steps) {
    const [expected, got] = playStep(step);
    compare(step, expected, await got);
  }
  return steps.length;
}

/** Plays one step after the other over limiters and models. Returns what both say. */
function playerOf(
  versions: readonly VersionSpec[],
  storesOf: (version: number) => readonly (SyncStore | AsyncStore)[],
): (step: Step) => readonly [unknown, unknown] {
  const clock = manualClock(START_MS);
  const known = new Known();
  const pairs = versions.map((version, i) => {
    const list = version.limits.map((limit) => libraryLimit(limit, limit.name, limit.blockFor));
    return storesOf(i).map((store) => pairOf({ ...version, name: "api", list, store, clock }, known));
  });
  let played = 0;
  return (step) => {
    clock.advance(step.waitUs / 1_000);
    const ends = pairs[step.version % pairs.length] ?? [];
    const pair = ends[played % ends.length];
    played += 1;
    if (pair === undefined) throw new Error("a trace has versions");
    return play(pair, step, BigInt(Math.round(clock.now() * 1_000)));
  };
}

/** @throws Error when the two differ. */
export function compare(step: Step, ...values: readonly [unknown, unknown]): void {
  const [expected, got] = values.map((value) => JSON.stringify(value, plain));
  if (got !== expected) throw new Error(`${JSON.stringify(step)}: expected ${expected}, got ${got}`);
}

/** What a limiter of either kind returned, read. */
function read<T>(value: T | Promise<T>, reading: (value: T) => unknown): unknown {
  return value instanceof Promise ? value.then(reading) : reading(value);
}

/** What the model knows of all versions of a limiter: keys and their blocks. */
export class Known {
  readonly keys = new ChangingKeys();
  readonly blocks = new Map<string, ModelBlock>();
}

interface PairOptions {
  readonly name: string;
  readonly list: readonly Limit[];
  readonly onChange: "carry-over" | "keep-first";
  readonly isChosen: boolean;
  readonly store: SyncStore | AsyncStore;
  readonly clock: ManualClock;
}

export function pairOf({ name, list, onChange, isChosen, store, clock }: PairOptions, { keys, blocks }: Known): Pair {
  const named = list.map(
    (limit): NamedLimit => ({ name: limit.name, numbers: limit.fingerprint, limit: modelLimit(limit) }),
  );
  const limits = isChosen ? (_key: string) => list : list;
  const options = { name, limits, clock, onChange };
  const limiter = store.kind === "sync" ? createLimiter({ ...options, store }) : createLimiter({ ...options, store });
  const plans = isChosen ? named.map((one) => [one]) : [named];
  const held = new Map(HELD_KEYS.map((key) => [key, limiter.handle(key)]));
  const handles = (key: string) => held.get(key) ?? limiter.handle(key);
  const models = plans.map((plan) => {
    const blocksFor = plan.map((one) => modelBlockFor(list[named.indexOf(one)]!));
    return { model: createVersion(keys, plan, onChange), blocksFor, blocks };
  });
  return { limiter, models, handles };
}

/** Plays a step. Returns what the model says, and what the limiter does. */
export function play({ limiter, models, handles }: Pair, step: Step, nowUs: bigint): readonly [unknown, unknown] {
  const { key, verb } = step;
  const hasUnits = new Set(models.flatMap(({ model }) => model.limits.map(({ unit }) => unit))).size > 1;
  const units = BigInt(step.cost);
  const cost = hasUnits ? { requests: step.cost, tokens: step.cost } : step.cost;
  const modelCost = hasUnits ? { requests: units, tokens: units } : units;
  const calls = models.map((of) => ({ of, model: of.model, key, cost: modelCost }));
  switch (verb) {
    case "allow":
      return [callWithBlocks("take", calls, nowUs).allowed, limiter.allow(key, cost)];
    case "batch":
      return [
        callWithBlocks("take", calls, nowUs).allowed,
        read(limiter.allowMany([key], new Uint8Array(1), cost), (admitted) => admitted === 1),
      ];
    case "handle":
      return [callWithBlocks("take", calls, nowUs).allowed, handles(key).allow(cost)];
    case "consume":
    case "peek":
    case "charge": {
      const outcome = callWithBlocks(verb === "consume" ? "take" : verb, calls, nowUs);
      const counted = models.flatMap(({ model }) => model.counted);
      return [expectedOf(outcome, counted), read<Decision>(limiter[verb](key, cost), gotOf)];
    }
    case "explain": {
      const reports = explain(calls, nowUs);
      const numbers = models.flatMap(({ model }) => model.counted);
      const expected = reports.map((report, i) => [numbers[i]?.name, report.used, report.remaining]);
      return [expected, read(limiter.explain(key, cost), shown)];
    }
    case "refund":
      transact("refund", calls, nowUs);
      return [undefined, limiter.refund(key, cost)];
    case "reset":
      for (const { model } of models) model.reset(key);
      return [undefined, limiter.reset(key)];
    case "sweep":
      for (const { model } of models) model.sweep(nowUs);
      return [undefined, read(limiter.sweep(), () => undefined)];
    case "clear":
      for (const { model } of models) model.clear();
      return [undefined, limiter.clear()];
    case "block":
    case "unblock":
    case "blocked until":
      return playBlock(limiter, models, { ...step, verb }, nowUs);
    default:
      return verb satisfies never;
  }
}

type BlockVerb = "block" | "unblock" | "blocked until";

function playBlock(
  limiter: Limiter | AsyncLimiter,
  models: readonly BlockingModel[],
  { key, verb, cost, blockUs = 10 * (1 + cost) }: Step & { readonly verb: BlockVerb },
  nowUs: bigint,
): readonly [unknown, unknown] {
  const wasBlocked = models.some((model) => isBlocked(model, key, nowUs));
  switch (verb) {
    case "block": {
      const untilUs = nowUs + BigInt(blockUs);
      const reason = REASONS[cost % REASONS.length];
      for (const model of models) block(model, key, untilUs, reason, nowUs);
      const span = blockUs % 20 === 0 ? blockUs / 1_000 : { until: Number(untilUs) / 1_000 };
      return [undefined, limiter.block(key, span, reason === undefined ? undefined : { reason })];
    }
    case "unblock":
      for (const { blocks } of models) blocks.delete(key);
      return [wasBlocked, limiter.unblock(key)];
    case "blocked until": {
      const ends = models.filter((model) => isBlocked(model, key, nowUs)).map(({ blocks }) => blocks.get(key)!.untilUs);
      const expected = wasBlocked ? Math.max(...ends.map(Number)) : undefined;
      return [expected, read(limiter.blockedUntil(key), (ms) => (ms === undefined ? ms : Math.round(ms * 1_000)))];
    }
    default:
      return verb satisfies never;
  }
}

/** Texts of one and two UTF-16 units per character. */
const REASONS = [undefined, "scraping", "ключ \ud83d\udd11"] as const;

function shown(statuses: readonly LimitStatus[]): unknown {
  return statuses.map(({ name, used, remaining }) => [name, used, remaining]);
}

function expectedOf(outcome: BlockedOutcome, limits: readonly NamedLimit[]): unknown {
  const { allowed, reason, ofLimits, retryAfterUs } = outcome;
  const decided = { allowed, reason, retryAfterUs: allowed ? undefined : retryAfterUs };
  const inForce = outcome.block && [outcome.block.endsInUs, outcome.block.reason];
  if (ofLimits === undefined) return { ...decided, block: inForce };
  const { remaining, resetUs, shadowDenied } = ofLimits;
  const binding = ofLimits.binding === undefined ? undefined : limits[ofLimits.binding];
  return {
    ...decided,
    block: inForce,
    limit: binding?.name,
    numbers: binding?.numbers,
    limits: limits.map(({ numbers, limit: { mode } }) => [numbers, mode]),
    remaining: remaining === "unlimited" ? "Infinity" : remaining,
    resetUs,
    shadowDenied: shadowDenied.map((place) => limits[place]?.name),
    usedAfterRetry: ofLimits.allowed ? undefined : ofLimits.usedAfterRetry,
  };
}

function gotOf(decision: Decision): unknown {
  const { allowed, limit, limits, remaining, resetMs, shadowDenied = [] } = decision;
  const decided = {
    allowed,
    reason: decision.allowed ? undefined : decision.reason,
    retryAfterUs: decision.allowed ? undefined : waitOf(decision.retryAfterMs),
    block: decision.block && [waitOf(decision.block.endsInMs), decision.block.reason],
  };
  if (decided.reason === "blocked") return decided;
  return {
    ...decided,
    limit: limit?.name,
    numbers: limit?.fingerprint,
    limits: limits.map(({ fingerprint, mode }) => [fingerprint, mode]),
    remaining: remaining === Number.POSITIVE_INFINITY ? "Infinity" : remaining,
    resetUs: Math.round(resetMs * 1_000),
    shadowDenied: shadowDenied.map(({ name }) => name),
    usedAfterRetry: decision.allowed ? undefined : decision.usedAfterRetry,
  };
}

function waitOf(ms: number): number | "never" {
  return ms === Number.POSITIVE_INFINITY ? "never" : Math.round(ms * 1_000);
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
