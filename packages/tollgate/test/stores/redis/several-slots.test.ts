import {
  type AsyncLimiter,
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  perDay,
  perHour,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import type { AsyncStore, SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useCluster } from "./kit/use-cluster.ts";
import { Random } from "./script/kit/random.ts";
import { eventuallyTrue } from "./servers/eventually.ts";

const NOW_MS = 1_790_000_000_000;
const inUse = useCluster();

interface Call {
  readonly user: string;
  readonly route: string;
}

/** Waits for the units in use. Units that refilled since a race was lost are not given back, but refill soon. */
async function eventuallyUsed(limiter: AsyncLimiter<never>, input: unknown, used: readonly number[]): Promise<void> {
  let last: readonly number[] = [];
  await eventuallyTrue(`${used.join(", ")} units in use`, async () => {
    const reports = await limiter.explain(input as never);
    last = reports.map((report) => report.used);
    return String(last) === String(used);
  });
  expect(last).toEqual(used);
}

/** A limiter of users and one of routes, combined. Their keys are in different slots. */
function userAndRoute(store: AsyncStore = inUse.cluster.store(), [userLimit, routeLimit] = [perDay(6), perDay(10)]) {
  const clock = manualClock(NOW_MS);
  const user = createLimiter({ name: "user", key: ({ user: id }: Call) => id, limits: [userLimit], store, clock });
  const route = createLimiter({ name: "route", key: ({ route: id }: Call) => id, limits: [routeLimit], store, clock });
  return { clock, user, route, both: combine(user, route) };
}

describe("calls on several slots", () => {
  it("every verb on different keys decides as the memory store does", async () => {
    const clock = manualClock(NOW_MS);
    const bucket = perSecond(5);
    const empty = tokenBucket({ capacity: 4, refill: 2, per: "1s", initial: "empty" });
    const windows = [
      slidingWindow({ limit: 6, window: "2s" }),
      fixedWindow({ limit: 9, window: "1s", mode: "shadow" }),
    ];
    const make = (store: AsyncStore | SyncStore) => {
      const parts = [
        { name: "user", key: ({ user }: Call) => user, limits: [bucket, perHour(40)], clock },
        { name: "route", key: ({ route }: Call) => route, limits: windows, clock },
        { name: "both", key: ({ user, route }: Call) => `${user} ${route}`, limits: [empty], clock },
      ] as const;
      return store.kind === "sync"
        ? combine(...parts.map((part) => createLimiter({ ...part, store })))
        : combine(...parts.map((part) => createLimiter({ ...part, store })));
    };
    const asked = make(inUse.cluster.storeByClock());
    const memory = make(memoryStore());
    const random = new Random(5);
    for (let step = 0; step < 300; step += 1) {
      const call = { user: random.of(["ann", "bob"]), route: random.of(["/a", "/b", "/c"]) };
      const cost = random.between(0, 4);
      const verb = random.of(["consume", "consume", "consume", "peek", "explain", "charge", "refund"] as const);
      const chance = verb !== "charge" || random.chance(0.2);
      const told = chance ? await asked[verb](call, cost) : await asked.allow(call, cost);
      const expected = chance ? memory[verb](call, cost) : memory.allow(call, cost);
      const what = `${step}: ${verb} ${JSON.stringify(call)} ${cost}`;
      expect([what, told]).toEqual([what, await expected]);
      if (random.chance(0.3)) clock.advance(random.of([0.001, 100, 333.333, 1_000]));
    }
  });

  it("concurrent calls on several slots never exceed a limit", async () => {
    const store = inUse.cluster.store();
    const { both, user, route } = userAndRoute(store, [perDay(6), perDay(40)]);
    const users = Array.from({ length: 12 }, (_, i) => `user-${i}`);
    const calls = users.flatMap((id) => Array.from({ length: 10 }, (_, i) => ({ user: id, route: `/${i % 2}` })));
    const admitted = new Map<string, number>();
    await Promise.all(
      calls.map(async (call, i) => {
        await new Promise((resolve) => setTimeout(resolve, i % 7));
        if (!(await both.allow(call))) return;
        for (const key of [call.user, call.route]) admitted.set(key, (admitted.get(key) ?? 0) + 1);
      }),
    );
    for (const id of users) expect(admitted.get(id) ?? 0).toBeLessThanOrEqual(6);
    for (const path of ["/0", "/1"]) expect(admitted.get(path) ?? 0).toBeLessThanOrEqual(40);
    // All units were given back, and no more. Units that refilled meanwhile are not given back, but refill.
    for (const id of users) {
      await eventuallyUsed(user, { user: id, route: "" }, [admitted.get(id) ?? 0]);
    }
    for (const path of ["/0", "/1"]) {
      await eventuallyUsed(route, { user: "", route: path }, [admitted.get(path) ?? 0]);
    }
  });

  it("a denied call gives back to buckets, and leaves units in windows that other calls may have used since", async () => {
    const store = inUse.cluster.store();
    const limits = [slidingWindow({ limit: 20, window: "1h" }), fixedWindow({ limit: 20, window: "1d" }), perDay(20)];
    const one = createLimiter({ name: "one", key: () => "ann", limits, store });
    const other = createLimiter({ name: "other", key: () => "bob!", limits: [perDay(1)], store });
    const both = combine(one, other);
    // All calls peek before one takes.
    const told = await Promise.all(Array.from({ length: 10 }, () => both.allow("")));
    expect(told.filter(Boolean)).toHaveLength(1);
    await eventuallyUsed(one, "", [10, 10, 1]);
    // Later calls are denied by the peek.
    expect(await both.allow("")).toBe(false);
    await eventuallyUsed(one, "", [10, 10, 1]);
  });

  it("a decision is corrected in all slots, in places and in windows", async () => {
    const limits = [concurrency({ max: 3, ttl: "1m" }), fixedWindow({ limit: 9, window: "1d" })] as const;
    const store = inUse.cluster.store();
    const user = createLimiter({ name: "user", key: ({ user: id }: Call) => id, limits, store });
    const route = createLimiter({ name: "route", key: ({ route: id }: Call) => id, limits, store });
    const both = combine(user, route);
    const call = { user: "eve", route: "/e" };
    const used = async () => (await both.explain(call)).map((report) => report.used);
    const [first, second] = [await both.reserve(call, 4), await both.reserve(call)];
    expect(await used()).toEqual([2, 5, 2, 5]);
    await first.settle(6);
    expect(await used()).toEqual([1, 7, 1, 7]);
    expect(await second.renew()).toBe(true);
    await second.cancel();
    expect(await used()).toEqual([0, 6, 0, 6]);
  });
});
