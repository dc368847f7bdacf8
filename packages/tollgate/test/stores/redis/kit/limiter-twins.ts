import {
  type AsyncLimiter,
  type ChosenLimits,
  type Clock,
  type Cost,
  combine,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  perDay,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import type { AsyncStore, SyncStore } from "tollgate/store";
import type { Random } from "../script/kit/random.ts";

/** The same limiters over a store and over the memory store. */
export interface Twins {
  readonly name: string;
  readonly asked: AsyncLimiter;
  readonly memory: Limiter;
  readonly units: "requests" | "several";
}

/** Limits by the name of their limiter. Repeated names share their cells. */
export interface Catalogue {
  readonly lists: readonly (readonly [limiter: string, limits: readonly Limit[] | ((key: string) => ChosenLimits)])[];
  /** The combinations, by places in the list. */
  readonly combinations: readonly (readonly number[])[];
}

const twoUnits = [perMinute(6), perMinute(50, { unit: "tokens", burst: 30 })];
const sliding = slidingWindow({ limit: 10, window: "10s" });
const chosen = [
  [perSecond(2)],
  [perSecond(2), perMinute(9)],
  "unlimited",
  [slidingWindow({ limit: 3, window: "2s" })],
] as const;

/** Limits of all kinds, for manual clocks. */
export const LIVELY: Catalogue = {
  lists: [
    ["api", [perSecond(3)]],
    ["api", [perSecond(3)]],
    ["api", [perSecond(3, { mode: "shadow" })]],
    ["multi", [perSecond(5), perMinute(20), sliding]],
    ["multi", [slidingWindow({ limit: 10, window: "10s", mode: "shadow" }), perMinute(20), perSecond(5)]],
    ["buckets", [perSecond(4), perMinute(12), tokenBucket({ capacity: 9, refill: 2, per: "3s" })]],
    ["llm", twoUnits],
    ["llm", twoUnits.toReversed()],
    [
      "windows",
      [fixedWindow({ limit: 4, window: "1s" }), fixedWindow({ limit: 7, window: "3s", anchor: "first-use" })],
    ],
    ["odd", [tokenBucket({ capacity: 7, refill: 7, per: "3s" })]],
    ["empty", [tokenBucket({ capacity: 6, refill: 3, per: "1s", initial: "empty" }), perMinute(30)]],
    ["plan", (key) => chosen[key.length % chosen.length]!],
  ],
  combinations: [
    [0, 3],
    [3, 11, 8],
    [6, 10],
    [2, 9],
    [5, 0],
  ],
};

/** Limits that refill nothing while a test runs, for real clocks. */
export const SLOW: Catalogue = {
  lists: [
    ["api", [perDay(40)]],
    ["api", [perDay(40)]],
    ["api", [perDay(40, { mode: "shadow" })]],
    ["buckets", [perDay(30), perDay(22, { name: "own" })]],
    ["multi", [perDay(30), slidingWindow({ limit: 20, window: "5h" })]],
    ["multi", [slidingWindow({ limit: 20, window: "5h" }), perDay(30)]],
    ["windows", [fixedWindow({ limit: 25, window: "1d", anchor: "first-use" })]],
    ["plan", (key) => (key === "ann" ? [perDay(20), perDay(12, { name: "own" })] : [perDay(20)])],
  ],
  combinations: [
    [0, 4],
    [3, 6, 7],
  ],
};

export function twinsOf(
  { lists, combinations }: Catalogue,
  store: AsyncStore,
  memory: SyncStore,
  clock: Clock,
): Twins[] {
  const twins = lists.map(([name, limits]): Twins => {
    const several = typeof limits !== "function" && new Set(limits.map(({ unit }) => unit)).size > 1;
    return {
      name,
      asked: createLimiter({ name, limits, store, clock }),
      memory: createLimiter({ name, limits, store: memory, clock }),
      units: several ? "several" : "requests",
    };
  });
  const combined = combinations.map((places): Twins => {
    const members = places.map((place) => twins[place]!);
    return {
      name: members.map(({ name }) => name).join("+"),
      asked: combine(...members.map(({ asked }) => asked)),
      memory: combine(...members.map(({ memory: twin }) => twin)),
      units: "requests",
    };
  });
  return [...twins, ...combined];
}

/** The results of both. */
export interface Pair {
  readonly what: string;
  readonly asked: Promise<unknown>;
  readonly memory: unknown;
}

/** The relative frequency of each verb. */
export interface Weights {
  readonly allow: number;
  readonly consume: number;
  readonly allowMany: number;
  readonly peek: number;
  readonly explain: number;
  readonly charge: number;
  readonly refund: number;
  readonly hold: number;
  readonly reset: number;
}

export const ALL_VERBS: Weights = {
  allow: 6,
  consume: 6,
  allowMany: 2,
  peek: 2,
  explain: 1,
  charge: 1,
  refund: 2,
  hold: 1,
  reset: 0.2,
};
/** Takes only, for which the script has short forms. */
export const TAKES: Weights = { ...ALL_VERBS, peek: 0, explain: 0, charge: 0, refund: 0, reset: 0 };

/** Makes the same random call on both, without waiting. */
export function callBoth(
  { name, asked, memory, units }: Twins,
  key: string,
  random: Random,
  weights: Weights = ALL_VERBS,
): Pair {
  const verb = random.weighted<keyof Weights>({ ...weights });
  const cost = costOf(units, random);
  const what = `${name}.${verb}(${JSON.stringify(key)}, ${JSON.stringify(cost)})`;
  switch (verb) {
    case "allow":
      return { what, asked: asked.allow(key, cost), memory: memory.allow(key, cost) };
    case "consume":
      return { what, asked: asked.consume(key, cost), memory: memory.consume(key, cost) };
    case "allowMany": {
      const keys = [key, "bob", key, key];
      return { what, asked: askMany(asked, keys, cost), memory: keys.map((one) => memory.allow(one, cost)) };
    }
    case "peek":
      return { what, asked: asked.peek(key, cost), memory: memory.peek(key, cost) };
    case "explain":
      return { what, asked: asked.explain(key, cost), memory: memory.explain(key, cost) };
    case "charge":
      return { what, asked: asked.charge(key, cost), memory: memory.charge(key, cost) };
    case "refund":
      return { what, asked: asked.refund(key, cost), memory: memory.refund(key, cost) };
    case "hold":
      return { what, asked: asked.handle(key).allow(cost), memory: memory.handle(key).allow(cost) };
    case "reset":
      return { what, asked: asked.reset(key), memory: memory.reset(key) };
    default:
      return verb satisfies never;
  }
}

async function askMany(limiter: AsyncLimiter, keys: readonly string[], cost: Cost): Promise<boolean[]> {
  const out = new Uint8Array(keys.length);
  await limiter.allowMany(keys, out, cost);
  return Array.from(out, Boolean);
}

function costOf(units: Twins["units"], random: Random): Cost {
  const requests = random.chance(0.6) ? 1 : random.between(0, 9);
  if (units === "requests" || random.chance(0.3)) return requests;
  return random.chance(0.3) ? { tokens: random.between(0, 35) } : { requests, tokens: random.between(0, 20) };
}
