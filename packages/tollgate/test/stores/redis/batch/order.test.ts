import { memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { ALL_VERBS, callBoth, LIVELY, type Pair, SLOW, TAKES, type Twins, twinsOf } from "../kit/limiter-twins.ts";
import { openStore, type StoreOptions, useRedis } from "../kit/use-redis.ts";
import { Random } from "../script/kit/random.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;
const KEYS = ["ann", "bob!", "cid-3", "dan-44"];

/** Calls that are all made before the first reply. */
function turnOf(twins: readonly Twins[], keys: readonly string[], random: Random, most: number): Pair[] {
  const verbs = random.chance(0.4) ? TAKES : ALL_VERBS;
  const buckets = twins.filter(({ name }) => ["api", "buckets", "plan"].includes(name));
  // Few limiters, so that calls use the same cells.
  const some = Array.from({ length: random.between(1, 3) }, () => random.of(verbs === TAKES ? buckets : twins));
  const few = Array.from({ length: random.between(1, 2) }, () => random.of(keys));
  return Array.from({ length: random.between(1, most) }, () => {
    const spread = verbs === ALL_VERBS && random.chance(0.2);
    return callBoth(random.of(spread ? twins : some), random.of(spread ? keys : few), random, verbs);
  });
}

async function checkTurn(pairs: readonly Pair[], tell: (told: unknown) => unknown, seed: string): Promise<void> {
  const calls = pairs.map(({ what }) => what);
  const asked = await Promise.all(pairs.map((pair) => pair.asked));
  for (const [i, { memory }] of pairs.entries()) {
    const what = `${seed}, call ${i} of ${calls.slice(0, i + 1).join("; ")}`;
    expect([what, tell(asked[i])]).toEqual([what, tell(memory)]);
  }
}

/** The advance of the clock between turns: around the moments at which calls conform again. */
function step(random: Random): number {
  return random.weighted({ none: 2, tick: 1, some: 3, second: 1, long: 0.3 }) === "none"
    ? 0
    : random.of([0.001, 0.999, 100, 333.333, 333.334, 500, 999.999, 1_000, 1_000.001, 3_000, 20_000]);
}

describe("calls without awaits decide as sequential calls of the memory store", () => {
  it.each<[string, StoreOptions]>([
    ["by default", {}],
    ["without a deny cache", { denyCache: false }],
    ["in small batches", { batch: 3 }],
    ["without batches", { batch: false, denyCache: 2 }],
  ])("calls without awaits decide as sequential calls of the memory store: %s", async (_name, options) => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = new Random(seed);
      const clock = manualClock(NOW_MS + random.between(0, 3_000));
      const store = openStore(inUse.redis.client, { ...BY_LIMITERS_CLOCK, ...options });
      const twins = twinsOf(LIVELY, store, memoryStore(), clock);
      for (let turn = 0; turn < 12; turn += 1) {
        await checkTurn(turnOf(twins, KEYS, random, 16), (told) => told, `seed ${seed}, turn ${turn}`);
        clock.advance(step(random));
      }
      await store.close();
    }
  });

  it("calls by the server's time equal the memory store while no unit comes back", async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = new Random(seed);
      const store = inUse.redis.store();
      const clock = manualClock(Date.now());
      const twins = twinsOf(SLOW, store, memoryStore(), clock);
      for (let turn = 0; turn < 6; turn += 1) {
        await checkTurn(turnOf(twins, KEYS, random, 24), withoutTimes, `seed ${seed}, turn ${turn}`);
      }
      await store.close();
    }
  });
});

/** The part of a result that does not depend on the time. */
function withoutTimes(told: unknown): unknown {
  if (Array.isArray(told)) return told.map(withoutTimes);
  if (typeof told !== "object" || told === null) return told;
  const { resetMs, retryAfterMs, usedAfterRetry, ...rest } = told as Record<string, unknown>;
  return { ...rest, again: [resetMs, retryAfterMs, usedAfterRetry].map((value) => value === undefined) };
}
