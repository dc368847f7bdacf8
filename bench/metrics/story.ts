import { Registry } from "prom-client";
import { createLimiter, systemClock, tokenBucket } from "tollgate";
import { instrument } from "tollgate/metrics";
import { KeyPool, randomBelow } from "../harness/keys.ts";
import type { Measured } from "../harness/rounds.ts";

/** What is planted into the clock, which every call reads. */
export const STORY_ROWS = {
  few: "4 µs in 1 of 100 calls, chosen at random",
  every: "4 µs in every call",
} as const;

export type StoryRow = keyof typeof STORY_ROWS;
export interface StoryOrder {
  readonly row: StoryRow;
}

const PLANT_MS = 0.004;
const ONE_IN = 100;
const SEED = 20_260_101;
const KEYS = 1_000;
const SAMPLE = 16;
const WARM_UP_CALLS = 1_000_000;
/** The calls within which the percentile has to move, and how many there are between two scrapes. */
const CALLS = 200_000;
const CALLS_PER_SCRAPE = 10_000;
const CHUNK = 1_000;
/** A percentile of so many seconds tells the operator. */
const MOVED_SECONDS = 3e-6;
/** Stands for more calls than there are. */
const NEVER = 10 * CALLS;

/** The percentile and the mean of calls before a delay is planted, and after. */
export async function measureStory({ row }: StoryOrder): Promise<Measured[]> {
  const plant = new Plant(row);
  const clock = { now: () => plant.passThrough(systemClock.now()) };
  const limits = [tokenBucket({ capacity: 2 ** 31, refill: 1, per: "1d" })];
  const limiter = createLimiter({ name: "api", limits, clock });
  const registry = new Registry();
  instrument(limiter, { registry, sample: SAMPLE });
  const pool = new KeyPool(KEYS);
  const keys = Array.from({ length: KEYS }, (_, index) => pool.key(index));
  const call = (calls: number): number[] => {
    const means: number[] = [];
    for (let done = 0; done < calls; done += CHUNK) {
      const startMs = performance.now();
      for (let i = 0; i < CHUNK; i += 1) limiter.allow(keys[i]!);
      means.push(((performance.now() - startMs) * 1e6) / CHUNK);
    }
    return means;
  };
  // Also with the plant, so that the engine compiles that, too.
  call(WARM_UP_CALLS / 2);
  plant.isOn = true;
  call(WARM_UP_CALLS / 100);
  plant.isOn = false;
  call(WARM_UP_CALLS / 2);

  const begun = await scrape(registry);
  const meanBefore = median(call(CALLS));
  const before = await scrape(registry);
  plant.isOn = true;
  const means: number[] = [];
  const moved = { calls: NEVER, p99: 0 };
  let last = before;
  for (let calls = CALLS_PER_SCRAPE; calls <= CALLS; calls += CALLS_PER_SCRAPE) {
    means.push(...call(CALLS_PER_SCRAPE));
    const now = await scrape(registry);
    const p99 = quantile(0.99, last, now);
    last = now;
    if (p99 < MOVED_SECONDS || moved.calls !== NEVER) continue;
    moved.calls = calls;
    moved.p99 = p99 * 1e9;
  }
  const figures = {
    p99Before: quantile(0.99, begun, before) * 1e9,
    p99After: moved.p99,
    p99OfAll: quantile(0.99, before, last) * 1e9,
    callsToMove: moved.calls,
    meanBefore,
    meanAfter: median(means),
    meanMoved: median(means) - meanBefore,
  };
  return [{ table: "story", row, figures }];
}

/** A delay in calls that are chosen at random. Choosing costs the other calls a subtraction. */
class Plant {
  isOn = false;
  readonly #oneIn: number;
  readonly #below = randomBelow(SEED);
  #left = 1;

  constructor(row: StoryRow) {
    this.#oneIn = row === "every" ? 1 : ONE_IN;
  }

  passThrough(nowMs: number): number {
    if (this.isOn) this.#count();
    return nowMs;
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left > 0) return;
    const untilMs = performance.now() + PLANT_MS;
    while (performance.now() < untilMs);
    this.#left = 1 + (this.#oneIn === 1 ? 0 : this.#gap());
  }

  /** Geometrically distributed: each call is as likely. */
  #gap(): number {
    return Math.floor(Math.log((1 + this.#below(2 ** 32)) / 2 ** 32) / Math.log1p(-1 / this.#oneIn));
  }
}

/** The buckets of a scrape: upper bounds in seconds, and how many calls are not above. */
type Buckets = readonly (readonly [bound: number, below: number])[];

async function scrape(registry: Registry): Promise<Buckets> {
  const text = await registry.metrics();
  const lines = text.matchAll(/^rate_limit_acquire_duration_seconds_bucket\{.*le="([^"]+)"\} (\d+)$/gm);
  return Array.from(lines, ([, bound, below]) => [
    bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound),
    Number(below),
  ]);
}

/** Computed as the `histogram_quantile` of Prometheus does, for the calls between two scrapes. */
function quantile(part: number, from: Buckets, until: Buckets): number {
  const buckets = until.map(([bound, below], i) => [bound, below - (from[i]?.[1] ?? 0)] as const);
  const rank = part * buckets.at(-1)![1];
  const at = buckets.findIndex(([, below]) => below >= rank);
  const [lower, under] = at === 0 ? [0, 0] : buckets[at - 1]!;
  const [upper, below] = buckets[at]!;
  return Number.isFinite(upper) ? lower + ((upper - lower) * (rank - under)) / (below - under) : lower;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
