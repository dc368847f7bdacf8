import { coarseClock, createLimiter, type Handle, type Limiter, tokenBucket } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { type Contender, type CreateContender, callContender, type Setup } from "./contender.ts";
import { BATCH, CHUNK } from "./tables.ts";

export interface Variant {
  readonly store: keyof typeof STORES;
  readonly verb: keyof typeof CALLS;
  readonly clock?: "coarse";
}

/** Loads only the store of the row. */
export async function loadVariant({ store, verb, clock }: Variant): Promise<CreateContender> {
  const openStore = await STORES[store]();
  return (setup) => {
    const own = openStore(Math.max(MOST_KEYS, setup.pool.count));
    // It refills slowly: no key becomes idle within a measurement, so no store may forget one.
    const limits = [tokenBucket({ capacity: setup.units, refill: 1, per: "10m" })];
    const common = { name: "bench", store: own, limits };
    const limiter = createLimiter(clock === undefined ? common : { ...common, clock: coarseClock(own.clock) });
    return CALLS[verb](limiter, setup);
  };
}

const MOST_KEYS = 1_000_000;

type OpenStore = (maxKeys: number) => SyncStore;

const STORES = {
  async memory() {
    const { memoryStore } = await import("tollgate");
    return () => memoryStore();
  },
  async table() {
    const { tableStore } = await import("tollgate/table");
    return (maxKeys) => tableStore({ maxKeys });
  },
  async shared() {
    const { sharedStore } = await import("tollgate/shared");
    return (maxKeys) => sharedStore({ maxKeys });
  },
} as const satisfies Readonly<Record<string, () => Promise<OpenStore>>>;

const CALLS = {
  allow: (limiter, setup) => callContender(setup, (key) => limiter.allow(key)),
  consume: (limiter, setup) =>
    callContender(setup, (key) => {
      const decision = limiter.consume(key);
      // Reads the figures as users do. The compiler may leave out unread ones.
      if (Number.isNaN(decision.remaining! + decision.resetMs)) throw new Error("expected numbers in a decision");
      return decision.allowed;
    }),
  handle: allowByHandle,
  batch: allowInBatches,
} as const satisfies Readonly<Record<string, (limiter: Limiter, setup: Setup) => Contender>>;

/** Makes the handle of a key when the key first comes, off-clock: applications keep one beside a connection. */
function allowByHandle(limiter: Limiter, { pool }: Setup): Contender {
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

function allowInBatches(limiter: Limiter, { pool }: Setup): Contender {
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
