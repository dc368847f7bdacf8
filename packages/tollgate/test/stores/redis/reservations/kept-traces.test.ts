import { createLimiter, memoryStore, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import { runs } from "../../../properties/runs.ts";
import { randomBelow } from "../../local/random-words.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { KeptTrace } from "./kept-trace.ts";

const inUse = useRedis();
const TRACES = runs(12);
const TURNS = 120;

it("kept reservations use what they count for, whichever processes correct them, at once or in turn", async () => {
  for (let seed = 0; seed < TRACES; seed += 1) {
    const prefix = freshPrefix();
    await new KeptTrace(() => inUse.redis.storeByClock({ prefix }), seed).play(TURNS);
  }
});

it("kept reservations give all their charges back to sliding windows as those of a process do", async () => {
  const resolutions = [0, 0, 0, 0, 5, 20];
  for (const [seed, resolution] of resolutions.entries()) {
    const below = randomBelow(seed);
    const clock = manualClock(1_790_000_000_000);
    const store = inUse.redis.storeByClock({ denyCache: false });
    const options = { name: "api", clock, limits: [slidingWindow({ limit: 6, window: 200, resolution })] };
    const [limiter, local] = [
      createLimiter({ ...options, store }),
      createLimiter({ ...options, store: memoryStore() }),
    ];
    const open: { readonly id: string; readonly twin: ReturnType<typeof local.reserve> }[] = [];
    for (let turn = 0; turn < 150; turn += 1) {
      clock.advance(below(15));
      const cost = below(3);
      const at = below(open.length + 2);
      const one = open[at];
      if (one === undefined) {
        const reserved = await limiter.reserve("ann", cost);
        const twin = local.reserve("ann", cost);
        expect(reserved.decision.allowed).toBe(twin.decision.allowed);
        if (twin.decision.allowed) open.push({ id: await reserved.keep("1h"), twin });
      } else if (below(3) > 0) {
        one.twin.charge(cost);
        await store.reservation(one.id).charge(cost);
      } else {
        open.splice(at, 1);
        const actual = below(4) === 0 ? cost : 0;
        one.twin.settle(actual);
        await store.reservation(one.id).settle(actual);
      }
      const [kept, ofProcess] = [await limiter.explain("ann"), local.explain("ann")];
      expect([seed, turn, kept[0]!.used, kept[0]!.resetMs]).toEqual([
        seed,
        turn,
        ofProcess[0]!.used,
        ofProcess[0]!.resetMs,
      ]);
    }
  }
});
