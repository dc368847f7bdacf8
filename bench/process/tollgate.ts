import type { Cost, Handle, Limit, Limiter, Reservation } from "tollgate";
import {
  coarseClock,
  combine,
  createLimiter,
  fixedWindow,
  memoryStore,
  slidingWindow,
  systemClock,
  tokenBucket,
} from "tollgate";
import type { SyncStore } from "tollgate/store";
import { type Contender, type CreateContender, loopOf, type Setup, syncContender } from "./contender.ts";
import { BATCH, CHUNK, OPEN_RESERVATIONS, UNITS, type Verb } from "./jobs.ts";

export interface Variant {
  readonly store: "memory" | "table" | "shared";
  readonly clock: "per call" | "coarse";
  readonly shape: keyof typeof SHAPES;
  readonly verb: Verb;
}

/** They refill slowly: no key becomes idle within a job, so no store may forget one. */
const AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "10m" });
const ALSO_AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "5m" });
const EXHAUSTED = tokenBucket({ capacity: UNITS.exhausted, refill: 1, per: "1h" });
/** The most that a limit may give back: nine units a microsecond. */
const REFILLED = tokenBucket({ capacity: UNITS.refilled, refill: 9_000_000, per: "1s" });
const TOKENS = tokenBucket({ name: "tokens", capacity: UNITS.ample * 5, refill: 1, per: "10m", unit: "tokens" });
const SHADOW = tokenBucket({ name: "shadow", capacity: UNITS.ample, refill: 1, per: "5m", mode: "shadow" });

type Common = { readonly name: string; readonly store: SyncStore; readonly clock: { now(): number } };
type Make = (common: Common) => Limiter;

const plain =
  (...limits: Limit[]): Make =>
  (common) =>
    createLimiter({ ...common, limits });

const log = (window: "10s" | "66s", resolution: "10ms" | "100ms" | "1s") =>
  plain(slidingWindow({ limit: UNITS.ample, window, resolution }));

/** Chosen by the key, as a plan is by its user: both lists are asked about. */
const chosen =
  (even: Limit[], odd: Limit[]): Make =>
  (common) =>
    createLimiter({ ...common, limits: (key: string) => (key.length % 2 === 0 ? even : odd) });

const remade = (per: "10m" | "5m") => tokenBucket({ capacity: UNITS.ample, refill: 1, per });
/** Works like `chosen`, by a function that keeps no limits. */
const madeAnew: Make = (common) =>
  createLimiter({ ...common, limits: (key: string) => [key.length % 2 === 0 ? remade("10m") : remade("5m")] });

/** What a limiter decides by. */
export const SHAPES = {
  "one limit": plain(AMPLE),
  "two limits": plain(AMPLE, ALSO_AMPLE),
  "fixed window": plain(fixedWindow({ limit: UNITS.ample, window: "10s" })),
  "10 groups": log("10s", "1s"),
  "66 groups": log("66s", "1s"),
  "100 groups": log("10s", "100ms"),
  "1,000 groups": log("10s", "10ms"),
  "by function": chosen([AMPLE], [ALSO_AMPLE]),
  "made anew by function": madeAnew,
  "two by function": chosen([AMPLE, ALSO_AMPLE], [ALSO_AMPLE, AMPLE]),
  "combine of two": ({ name, ...common }) =>
    combine(plain(AMPLE)({ ...common, name }), plain(ALSO_AMPLE)({ ...common, name: `${name}-2` })),
  "two units": plain(AMPLE, TOKENS),
  observer: (common) => createLimiter({ ...common, limits: [AMPLE], observe: () => {} }),
  "shadow limit": plain(AMPLE, SHADOW),
} as const satisfies Readonly<Record<string, Make>>;

const COSTS: Partial<Record<Variant["shape"], Cost>> = { "two units": { requests: 1, tokens: 5 } };

/** Loads only the store of the row. */
export async function loadVariant({ store, clock, shape, verb }: Variant): Promise<CreateContender> {
  const openStore = await STORES[store]();
  return (setup) => {
    const own = openStore(setup, shape);
    let skippedMs = 0;
    const skips = setup.skips || shape.endsWith("0 groups");
    const ahead = { now: () => systemClock.now() + skippedMs };
    const usual = clock === "coarse" ? coarseClock(own.clock) : (own.clock ?? systemClock);
    const make = { ample: SHAPES[shape], exhausted: plain(EXHAUSTED), refilled: plain(REFILLED) }[setup.limit];
    const limiter = make({ name: "bench", store: own, clock: skips ? ahead : usual });
    return {
      ...CALLS[setup.verb ?? verb](limiter, setup, COSTS[shape]),
      ...(skips && {
        skip: (ms: number) => {
          skippedMs += ms;
        },
      }),
      sweep: () => void limiter.sweep(),
      clear: () => limiter.clear(),
      close: () => limiter.close(),
    };
  };
}

/** A million keys of 66 groups take a gibibyte. */
const ROOMY = { maxBytes: 2 ** 32 };

type OpenStore = (setup: Setup, shape: Variant["shape"]) => SyncStore;

const STORES: Record<Variant["store"], () => Promise<OpenStore>> = {
  memory: async () => (_setup, shape) => memoryStore(shape === "66 groups" ? ROOMY : {}),
  table: async () => {
    const { tableStore } = await import("tollgate/table");
    return ({ maxKeys }) => tableStore({ maxKeys });
  },
  shared: async () => {
    const { sharedStore } = await import("tollgate/shared");
    return ({ maxKeys }) => sharedStore({ maxKeys });
  },
};

const CALLS: Record<Verb, (limiter: Limiter, setup: Setup, cost: Cost | undefined) => Contender> = {
  allow: decideAboutKeys,
  consume: decideInFull,
  peek: (limiter, setup, cost) =>
    syncContender(
      setup,
      loopOf((key) => limiter.peek(key, cost).allowed),
      (key) => limiter.allow(key, cost),
    ),
  charge: (limiter, setup, cost = 1) =>
    syncContender(
      setup,
      loopOf((key) => limiter.charge(key, cost).remaining! >= 0),
    ),
  refund: (limiter, setup, cost = 1) =>
    syncContender(
      setup,
      loopOf((key) => limiter.refund(key, cost) === undefined),
      (key) => limiter.allow(key, cost),
    ),
  handles: decideAboutHandles,
  batches: decideAboutBatches,
  "settle at the estimate": (limiter, setup) => reserveAndSettle(limiter, setup, 2, 2),
  "settle below it": (limiter, setup) => reserveAndSettle(limiter, setup, 2, 1),
  "settle above it": (limiter, setup) => reserveAndSettle(limiter, setup, 1, 2),
  cancel: (limiter, setup) =>
    syncContender(
      setup,
      loopOf((key) => {
        const reservation = limiter.reserve(key, 2);
        reservation.cancel();
        return reservation.decision.allowed;
      }),
    ),
  open: keepOpen,
};

function reserveAndSettle(limiter: Limiter, setup: Setup, estimate: number, actual: number): Contender {
  return syncContender(
    setup,
    loopOf((key) => {
      const reservation = limiter.reserve(key, estimate);
      reservation.settle(actual);
      return reservation.decision.allowed;
    }),
  );
}

/** Each call settles the oldest of the open reservations. */
function keepOpen(limiter: Limiter, setup: Setup): Contender {
  const open = new Array<Reservation | undefined>(OPEN_RESERVATIONS).fill(undefined);
  let oldest = 0;
  return syncContender(
    setup,
    loopOf((key) => {
      const reservation = limiter.reserve(key, 2);
      open[oldest]?.settle(1);
      open[oldest] = reservation;
      oldest = oldest + 1 === OPEN_RESERVATIONS ? 0 : oldest + 1;
      return reservation.decision.allowed;
    }),
  );
}

function decideAboutKeys(limiter: Limiter, setup: Setup, cost: Cost | undefined): Contender {
  return syncContender(setup, (strings) => (from, to) => {
    let admitted = 0;
    for (let i = from; i < to; i += 1) if (limiter.allow(strings[i]!, cost)) admitted += 1;
    return admitted;
  });
}

function decideInFull(limiter: Limiter, setup: Setup, cost: Cost | undefined): Contender {
  return syncContender(setup, (strings) => (from, to) => {
    let admitted = 0;
    for (let i = from; i < to; i += 1) {
      const decision = limiter.consume(strings[i]!, cost);
      // Reads the figures as users do. The compiler may leave out unread ones.
      if (Number.isNaN(decision.remaining! + decision.resetMs)) throw new Error("expected numbers in a decision");
      if (decision.allowed) admitted += 1;
    }
    return admitted;
  });
}

/** Makes the handle of a key when the key first comes, off-clock: applications keep one beside a connection. */
function decideAboutHandles(limiter: Limiter, { pool }: Setup): Contender {
  const handles = new Array<Handle | undefined>(pool.count).fill(undefined);
  const next = new Array<Handle>(CHUNK);
  return {
    prepare(indices) {
      for (let i = 0; i < indices.length; i += 1) {
        const index = indices[i]!;
        next[i] = handles[index] ??= limiter.handle(pool.key(index));
      }
    },
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (next[i]!.allow()) admitted += 1;
      return admitted;
    },
  };
}

function decideAboutBatches(limiter: Limiter, { pool }: Setup): Contender {
  const batches = Array.from({ length: CHUNK / BATCH }, () => new Array<string>(BATCH).fill(""));
  const verdicts = new Uint8Array(BATCH);
  return {
    prepare(indices) {
      for (let i = 0; i < indices.length; i += 1) batches[Math.floor(i / BATCH)]![i % BATCH] = pool.key(indices[i]!);
    },
    decide(from, to) {
      let admitted = 0;
      for (let i = from / BATCH; i < to / BATCH; i += 1) admitted += limiter.allowMany(batches[i]!, verdicts);
      return admitted;
    },
  };
}
