import { createLimiter, tokenBucket } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";
import { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";

/** What sees the calls of a row. */
export const COST_ROWS = {
  none: "nothing",
  removed: "nothing any more: `instrument` and `hotKeys` were removed",
  counters: "counters: `instrument` with `sample: 10000`",
  instrument: "`instrument` as it is: counters, and a histogram of 1 in 128 calls",
  all: "`instrument` and `hotKeys`",
} as const;

export type CostRow = keyof typeof COST_ROWS;
export type CostVerb = "allow" | "consume";
export interface CostOrder {
  readonly row: CostRow;
  readonly verb: CostVerb;
  readonly keys: number;
  readonly table: string;
  readonly chunks: number;
}

const WARM_UP_CHUNKS = 200;
const CHUNK = 5_000;

/** Nanoseconds of a call: of many chunks the tenth part that is quickest, because other work disturbs the rest. */
export function measureCost({ row, verb, keys, table, chunks }: CostOrder): Measured[] {
  const limiter = createLimiter({ name: "api", limits: [tokenBucket({ capacity: 2 ** 31, refill: 1, per: "1d" })] });
  WATCHERS[row](limiter);
  const pool = new KeyPool(keys);
  const own = Array.from({ length: keys }, (_, index) => pool.key(index));
  let admitted = 0;
  const decide = verb === "allow" ? (key: string) => limiter.allow(key) : (key: string) => limiter.consume(key).allowed;
  const times: number[] = [];
  for (let chunk = -WARM_UP_CHUNKS; chunk < chunks; chunk += 1) {
    const startMs = performance.now();
    for (let call = 0, at = 0; call < CHUNK; call += 1) {
      if (decide(own[at]!)) admitted += 1;
      at = at + 1 === keys ? 0 : at + 1;
    }
    if (chunk >= 0) times.push(((performance.now() - startMs) * 1e6) / CHUNK);
  }
  expectCount("calls admitted", admitted, (WARM_UP_CHUNKS + chunks) * CHUNK);
  times.sort((one, other) => one - other);
  return [{ table, row, figures: { ns: times[Math.floor(times.length / 10)]! } }];
}

type Watched = Parameters<typeof hotKeys>[0];

const REGISTRY = { registerMetric(): void {}, getSingleMetric: () => undefined };

const WATCHERS: Readonly<Record<CostRow, (limiter: Watched) => void>> = {
  none: () => {},
  removed: (limiter) => {
    const remove = instrument(limiter, { registry: REGISTRY });
    hotKeys(limiter).close();
    remove();
  },
  counters: (limiter) => void instrument(limiter, { registry: REGISTRY, sample: 10_000 }),
  instrument: (limiter) => void instrument(limiter, { registry: REGISTRY }),
  all: (limiter) => {
    instrument(limiter, { registry: REGISTRY });
    hotKeys(limiter);
  },
};
