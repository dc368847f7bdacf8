import { perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { type AnyStore, limiterOver } from "./every-store.ts";
import { START_MS } from "./set-up.ts";

/** More limits than a limiter keeps spaces for without looking for idle ones. */
const LIMITS_BETWEEN = 2_100;
const LIMITS_OF_BATCH = 1_500;

/** A handle still counts under its key after calls under thousands of other limits. */
export async function checkHandle(createStore: () => AnyStore): Promise<void> {
  const limiter = limiterOver(createStore(), {
    limits: (input) => [perMinute(2, { name: input === "ann" ? "hers" : input })],
    key: (input) => (input === "ann" ? "ann" : "another"),
    clock: manualClock(START_MS),
    name: "many",
  });
  const handle = limiter.handle("ann");
  for (let i = 0; i < LIMITS_BETWEEN; i += 1) await limiter.peek(`limit-${i}`);
  await handle.allow();
  expect(await (limiter.kind === "sync" ? limiter.size : limiter.size())).toBe(1);
  expect((await limiter.explain("ann"))[0]?.used).toBe(1);
  await limiter.clear();
  expect((await handle.consume()).remaining).toBe(1);
}

/** A batch counts each input under the limit of its own. */
export async function checkBatch(createStore: () => AnyStore): Promise<void> {
  const limits = (input: string) => [perMinute(1, { name: input })];
  const limiter = limiterOver(createStore(), { key: () => "a", limits, clock: manualClock(START_MS), name: "batch" });
  const names = Array.from({ length: LIMITS_OF_BATCH }, (_, i) => `limit-${i}`);
  const out = new Uint8Array(names.length);
  expect(await limiter.allowMany(names, out)).toBe(names.length);
  expect(await limiter.allowMany(names, out)).toBe(0);
}
