import fc from "fast-check";
import { fixedWindow, type Limit, perMinute, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { afterEach, describe, it, vi } from "vitest";
import { type Capacity, EVERY_STORE } from "./every-store.ts";
import { HandleTwins, steps, stepsWithinReach } from "./handle-twins.ts";

const LISTS: readonly (readonly Limit[])[] = [
  [perSecond(5)],
  [tokenBucket({ capacity: 7, refill: 11, per: "3s" }), slidingWindow({ limit: 6, window: "2s" })],
  [fixedWindow({ limit: 5, window: "2s" })],
  [tokenBucket({ capacity: 4, refill: 2, per: "1s", initial: "empty", idleTtl: "10s" })],
  [perSecond(6), perSecond(3, { mode: "shadow", name: "shadow" })],
  [perSecond(5), perMinute(9, { unit: "tokens" })],
];

const AMPLE: Capacity = { maxKeys: 4_000 };

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(EVERY_STORE)("over %s a handle decides in random traces as calls by key do", (store, createStore) => {
  const numRuns = store === "the asynchronous twin" ? 5 : 20;

  async function agree(limits: readonly Limit[] | (() => readonly Limit[]), capacity = AMPLE): Promise<void> {
    const arbitrary = store === "the shared store" || store === "the table store" ? stepsWithinReach : steps;
    const plays = fc.asyncProperty(arbitrary, (played) =>
      new HandleTwins(() => createStore(capacity), limits).play(played),
    );
    await fc.assert(plays, { numRuns, seed: 1 });
  }

  it.each(LISTS.map((limits) => [limits.map(({ name }) => name).join(" and "), limits] as const))(
    "under %s",
    async (_names, limits) => agree(limits),
  );

  it("under limits chosen per call", async () => {
    await agree(() => [perSecond(5), slidingWindow({ limit: 6, window: "2s" })]);
  });

  it.each(["share", "deny"] as const)("in a full store with overflow %s", async (overflow) => {
    await agree([perSecond(5)], { maxKeys: 2, overflow });
  });
});
