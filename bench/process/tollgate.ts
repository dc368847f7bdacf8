import type { Handle, Limit, Limiter, SyncStore } from "tollgate";
import { coarseClock, createLimiter, memoryStore, systemClock, tokenBucket } from "tollgate";
import { type Contender, type CreateContender, type Setup, syncContender } from "./contender.ts";
import { BATCH, CHUNK, UNITS } from "./jobs.ts";

export interface Variant {
  readonly store: "memory" | "table" | "shared";
  readonly clock: "per call" | "coarse";
  readonly limits: 1 | 2;
  readonly form: "keys" | "decisions" | "handles" | "batches";
}

const MAX_KEYS = { maxKeys: 1_000_000 };

/** They refill slowly: no key becomes idle within a job, so no store may forget one. */
const AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "10m" });
const ALSO_AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "5m" });
const EXHAUSTED = tokenBucket({ capacity: UNITS.exhausted, refill: 1, per: "1h" });

/** Loads only the store of the row. */
export async function loadVariant({ store, clock, limits, form }: Variant): Promise<CreateContender> {
  const openStore = await STORES[store]();
  return (setup) => {
    const own: SyncStore = openStore();
    const all: Limit[] = limits === 1 ? [AMPLE] : [AMPLE, ALSO_AMPLE];
    const limiter = createLimiter({
      name: "bench",
      limits: setup.units === UNITS.exhausted ? [EXHAUSTED] : all,
      store: own,
      clock: clock === "coarse" ? coarseClock(own.clock) : (own.clock ?? systemClock),
    });
    return { ...FORMS[form](limiter, setup), close: () => limiter.close() };
  };
}

const STORES: Record<Variant["store"], () => Promise<() => SyncStore>> = {
  memory: async () => () => memoryStore(),
  table: async () => {
    const { tableStore } = await import("tollgate/table");
    return () => tableStore(MAX_KEYS);
  },
  shared: async () => {
    const { sharedStore } = await import("tollgate/shared");
    return () => sharedStore(MAX_KEYS);
  },
};

const FORMS: Record<Variant["form"], (limiter: Limiter, setup: Setup) => Contender> = {
  keys: decideAboutKeys,
  decisions: decideInFull,
  handles: decideAboutHandles,
  batches: decideAboutBatches,
};

function decideAboutKeys(limiter: Limiter, setup: Setup): Contender {
  return syncContender(setup, (strings) => (from, to) => {
    let admitted = 0;
    for (let i = from; i < to; i += 1) if (limiter.allow(strings[i]!)) admitted += 1;
    return admitted;
  });
}

function decideInFull(limiter: Limiter, setup: Setup): Contender {
  return syncContender(setup, (strings) => (from, to) => {
    let admitted = 0;
    for (let i = from; i < to; i += 1) {
      const decision = limiter.consume(strings[i]!);
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
