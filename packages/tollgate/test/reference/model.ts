import { CalendarWindowRules } from "./calendar-window.ts";
import { ExactBucketRules } from "./exact-bucket.ts";
import { FixedWindowRules } from "./fixed-window.ts";
import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import { capacityOf, type ModelCost, type ModelLimit, unitsOf } from "./model-limit.ts";
import { type Outcome, outcomeOf, type Part, remainingOf } from "./outcome.ts";
import { SlidingWindowRules } from "./sliding-window.ts";
import { TickBucketRules } from "./tick-bucket.ts";
import { larger } from "./whole-numbers.ts";

export type ModelVerb = "take" | "peek" | "charge" | "refund";

export interface ModelReport {
  readonly allowed: boolean;
  readonly used: bigint;
  readonly remaining: bigint;
  readonly retryAfterUs: Wait;
  readonly resetUs: bigint;
}

export interface ModelOptions {
  readonly limits: readonly ModelLimit[];
  /** Token buckets count in ticks, as specified, or in exact rational arithmetic. */
  readonly buckets?: "ticks" | "exact";
}

/** A limiter, a key and a cost: one part of a combined call. */
export interface ModelCall {
  readonly model: Model;
  readonly key: string;
  readonly cost: ModelCost;
}

/** The reference for one limiter: slow, plain, and independent of the library. */
export interface Model {
  readonly limits: readonly ModelLimit[];
  apply(verb: ModelVerb, key: string, nowUs: bigint, cost: ModelCost): Outcome;
  explain(key: string, nowUs: bigint, cost: ModelCost): ModelReport[];
  reset(key: string): void;
  clear(): void;
  /** Drops the idle keys. */
  sweep(nowUs: bigint): void;
  readonly size: number;
  /** The states of a key, limit by limit, for `transact` and `explain`. */
  read(key: string, nowUs: bigint): Seen[];
  write(key: string, place: number, state: LimitState): void;
  /** Forgets a key that has expired, under all limits at once. Every call except a look begins with it. */
  forgetExpired(key: string, nowUs: bigint): void;
}

export interface Seen {
  readonly place: number;
  readonly limit: ModelLimit;
  readonly rules: LimitRules;
  readonly state: LimitState;
  /** Nothing is recorded for the key under this limit, or the record has expired. */
  readonly absent: boolean;
}

export function createModel(options: ModelOptions): Model {
  const { limits } = options;
  const compiled = limits.map((limit) => ({
    limit,
    rules: rulesOf(limit, options),
  }));
  const beginsEmpty = compiled.some(({ rules }) => rules.recordsFirstTouch);
  const idleTtlUs = compiled.map(({ rules }) => rules.idleTtlUs).reduce(larger, 0n);
  const keys = new Map<string, (LimitState | undefined)[]>();
  /** Whether no unit counted under any limit when the longest idle time began. */
  const isSlotIdle = (states: readonly (LimitState | undefined)[], nowUs: bigint) =>
    states.every((state) => state === undefined || state.used(nowUs - idleTtlUs) === 0n);
  /** A key under a limit that begins empty must expire, whether or not a sweep has dropped it. */
  const hasExpired = (key: string, nowUs: bigint) => beginsEmpty && isSlotIdle(keys.get(key) ?? [], nowUs);
  const model: Model = {
    limits,
    apply: (verb, key, nowUs, cost) => transact(verb, [{ model, key, cost }], nowUs),
    explain: (key, nowUs, cost) => explain([{ model, key, cost }], nowUs),
    reset: (key) => void keys.delete(key),
    clear: () => keys.clear(),
    sweep: (nowUs) => {
      for (const [key, states] of keys) if (isSlotIdle(states, nowUs)) keys.delete(key);
    },
    get size() {
      return keys.size;
    },
    read: (key, nowUs) => {
      const states = hasExpired(key, nowUs) ? undefined : keys.get(key);
      return compiled.map(({ limit, rules }, place) => {
        const stored = states?.[place];
        return { place, limit, rules, state: stored ?? rules.fresh(nowUs), absent: stored === undefined };
      });
    },
    forgetExpired: (key, nowUs) => {
      if (hasExpired(key, nowUs)) keys.delete(key);
    },
    write: (key, place, state) => {
      const states = keys.get(key) ?? limits.map(() => undefined);
      states[place] = state;
      keys.set(key, states);
    },
  };
  return model;
}

/** One call over several limiters at one instant: all conform, or nothing is taken. */
export function transact(verb: ModelVerb, calls: readonly ModelCall[], nowUs: bigint): Outcome {
  if (verb !== "peek") for (const { model, key } of calls) model.forgetExpired(key, nowUs);
  const seen = readAll(calls, nowUs).map((one) => ({
    ...one,
    conformed: one.state.conforms(nowUs, one.units),
  }));
  const admitted = seen.every((one) => one.conformed || one.limit.mode === "shadow");
  const parts = seen.map((one, place): Part => {
    const after = settle(verb, one.state, nowUs, one.units, admitted && one.conformed);
    if (verb !== "peek" && (after !== one.state || (one.absent && one.rules.recordsFirstTouch))) {
      one.model.write(one.key, one.place, after);
    }
    const { capacity } = one.rules;
    const { unit, mode } = one.limit;
    return {
      place,
      capacity,
      unit,
      shadow: mode === "shadow",
      cost: one.units,
      conformed: one.conformed,
      after,
    };
  });
  return outcomeOf(parts, nowUs);
}

/** The state of every limit before the call. */
export function explain(calls: readonly ModelCall[], nowUs: bigint): ModelReport[] {
  return readAll(calls, nowUs).map(({ limit, state, units }) => ({
    allowed: state.conforms(nowUs, units),
    used: state.used(nowUs),
    remaining: remainingOf({ after: state, capacity: capacityOf(limit) }, nowUs),
    retryAfterUs: state.waitUs(nowUs, units),
    resetUs: state.resetUs(nowUs),
  }));
}

/** A combined call counts all units of its limiters: a cost that is a number means the only unit, or requests. */
function readAll(calls: readonly ModelCall[], nowUs: bigint): (Seen & { model: Model; key: string; units: bigint })[] {
  const units = new Set(calls.flatMap(({ model }) => model.limits.map((limit) => limit.unit)));
  return calls.flatMap(({ model, key, cost }) =>
    model.read(key, nowUs).map((one) => ({
      ...one,
      model,
      key,
      units: unitsOf(cost, one.limit.unit, units),
    })),
  );
}

function settle(verb: ModelVerb, state: LimitState, nowUs: bigint, cost: bigint, takes: boolean): LimitState {
  switch (verb) {
    case "take":
    case "peek":
      return takes ? state.take(nowUs, cost) : state;
    case "charge":
      return state.take(nowUs, cost);
    case "refund":
      return state.refund(nowUs, cost);
    default:
      return verb satisfies never;
  }
}

export function rulesOf(limit: ModelLimit, options: Pick<ModelOptions, "buckets">): LimitRules {
  switch (limit.kind) {
    case "token-bucket":
      return options.buckets === "exact" ? new ExactBucketRules(limit) : new TickBucketRules(limit);
    case "sliding-window":
      return new SlidingWindowRules(limit);
    case "fixed-window":
      return new FixedWindowRules(limit);
    case "calendar-window":
      return new CalendarWindowRules(limit);
    default:
      return limit satisfies never;
  }
}
