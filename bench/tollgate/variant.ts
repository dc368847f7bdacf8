import { type Clock, createLimiter, type Limiter, type SyncStore } from "tollgate";
import type { CreateContender, Setup, SyncContender } from "../contenders/contender.ts";
import { decideAboutBatches } from "./batches.ts";
import { decideInFull } from "./decisions.ts";
import { decideAboutHandles } from "./handles.ts";
import { decideAboutKeys } from "./keys.ts";
import { limitsOf } from "./limits.ts";

/** What of the library a row measures. */
export interface Variant {
  readonly store: "memory" | "table" | "shared";
  readonly clock: "per call" | "coarse";
  readonly limits: 1 | 2;
  readonly form: "keys" | "decisions" | "handles" | "batches";
}

/** A process loads the store and the clock that its row is about, and no other. */
export async function loadVariant({ store, clock, limits, form }: Variant): Promise<CreateContender> {
  const { openStore } = await STORES[store]();
  const { openClock } = await CLOCKS[clock]();
  return (setup) => {
    const own = openStore();
    const options = { name: "bench", limits: limitsOf(setup.limit, limits), store: own, clock: openClock(own) };
    const limiter = createLimiter(options);
    return FORMS[form](limiter, setup);
  };
}

const STORES: Record<Variant["store"], () => Promise<{ openStore(): SyncStore }>> = {
  memory: () => import("./memory-store.ts"),
  table: () => import("./table-store.ts"),
  shared: () => import("./shared-store.ts"),
};

const CLOCKS: Record<Variant["clock"], () => Promise<{ openClock(store: SyncStore): Clock }>> = {
  "per call": () => import("./clock-per-call.ts"),
  coarse: () => import("./clock-coarse.ts"),
};

const FORMS: Record<Variant["form"], (limiter: Limiter, setup: Setup) => SyncContender> = {
  keys: decideAboutKeys,
  decisions: decideInFull,
  handles: decideAboutHandles,
  batches: decideAboutBatches,
};
