import {
  type AsyncLimiter,
  type ChosenLimits,
  combine,
  createLimiter,
  type Limiter,
  memoryStore,
  type Observation,
  type Observer,
  perMinute,
  perSecond,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const watch = () => {
  const seen: Observation[] = [];
  return { seen, observe: (one: Observation) => void seen.push(one), clock: manualClock(START_MS) };
};

it("an observer of several limiters is told of a call once for each type, whichever limiter wants it told", () => {
  const { seen, observe, clock } = watch();
  const [user, route] = ["user", "route"].map((name) =>
    createLimiter({ name, limits: [perMinute(1, { blockFor: "1m" })], clock }),
  ) as [Limiter, Limiter];
  user.observe(observe, { types: ["decision"] });
  user.observe(observe, { types: ["block"] });
  route.observe(observe, { types: ["decision", "block"] });
  for (const limiter of [user, combine(user, route)]) limiter.consume("ann");
  expect(seen.map(({ type }) => type)).toEqual(["decision", "decision", "block"]);
});

describe("an observer", () => {
  it("is notified of decisions as plain objects, and not of peek and explain", () => {
    const { seen, observe, clock } = watch();
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, observe });
    limiter.allow("a");
    limiter.peek("a");
    limiter.explain("a");
    const consumed = limiter.consume("a", 5);
    const charged = limiter.charge("a", 4);
    expect(seen).toEqual([
      {
        type: "decision",
        verb: "allow",
        keys: ["a"],
        cost: 1,
        decision: expect.objectContaining({ allowed: true, remaining: 1 }),
      },
      { type: "decision", verb: "consume", keys: ["a"], cost: 5, decision: consumed },
      { type: "decision", verb: "charge", keys: ["a"], cost: 4, decision: charged },
    ]);
  });

  const LISTS: readonly [string, ChosenLimits][] = [
    ["none", "unlimited"],
    ["one", [perSecond(2)]],
    ["three", [perSecond(2), perMinute(9), perMinute(5, { mode: "shadow" })]],
  ];
  const REQUESTS = LISTS.map(([user, limits]) => ({ user, route: `/${user}`, limits }));
  const STORES = [
    ["synchronous", () => memoryStore()],
    ["asynchronous", () => new AsyncTwin()],
  ] as const;

  interface Request {
    readonly user: string;
    readonly route: string;
    readonly limits: ChosenLimits;
  }

  /** One key for each verb and way to call. */
  async function callInEveryWay(limiter: Limiter<Request> | AsyncLimiter<Request>, request: Request): Promise<void> {
    const handle = limiter.handle(request);
    await limiter.allow(request);
    await limiter.allowMany([request], new Uint8Array(1));
    await limiter.consume(request);
    await limiter.charge(request, 1);
    await handle.allow();
    await handle.consume();
    await handle.charge(1);
  }

  it.each(STORES)(
    "gets the key once, however many limits a function chooses, over a store that is %s",
    async (_kind, store) => {
      const { seen, observe, clock } = watch();
      const keyOf = vi.fn<(request: Request) => string>((request) => request.user);
      const options = { name: "user", key: keyOf, limits: (request: Request) => request.limits, clock, observe };
      const over = store();
      const limiter = createLimiter({ ...options, store: over });
      for (const request of REQUESTS) {
        seen.length = 0;
        keyOf.mockClear();
        await callInEveryWay(limiter, request);
        expect(seen.map((one) => one.type === "decision" && one.keys)).toEqual(
          Array.from({ length: 7 }, () => [request.user]),
        );
        expect(keyOf).toHaveBeenCalledTimes(5);
      }
    },
  );

  it.each(STORES)("gets a key for each limiter of a combination, over a store that is %s", async (_kind, store) => {
    const { seen, observe, clock } = watch();
    const common = { clock, observe };
    const byUser = {
      ...common,
      name: "user",
      key: (request: Request) => request.user,
      limits: (request: Request) => request.limits,
    };
    const byRoute = {
      ...common,
      name: "route",
      key: (request: Request) => request.route,
      limits: [perSecond(2), perMinute(9)],
    };
    const all = { ...common, name: "all", key: () => "all", limits: () => "unlimited" as const };
    const over = store();
    const limiter = combine(
      combine(createLimiter({ ...byUser, store: over }), createLimiter({ ...byRoute, store: over })),
      createLimiter({ ...all, store: over }),
    );
    for (const request of REQUESTS) {
      seen.length = 0;
      await callInEveryWay(limiter, request);
      const keys = [request.user, request.route, "all"];
      expect(seen.map((one) => one.type === "decision" && one.keys)).toEqual(Array.from({ length: 7 }, () => keys));
    }
  });

  it.each(STORES)("cannot change what allow returns, over a store that is %s", async (_kind, store) => {
    const observe: Observer = (one) => {
      if (one.type === "decision") Object.assign(one.decision, { allowed: !one.decision.allowed });
    };
    const options = { limits: [perMinute(4)], clock: manualClock(START_MS), observe };
    for (const limiter of [
      createLimiter({ ...options, store: store() }),
      createLimiter({ ...options, store: store(), async: true }),
    ]) {
      const handle = limiter.handle("a");
      expect([await limiter.allow("a"), await handle.allow(), await limiter.allow("a", 3)]).toEqual([
        true,
        true,
        false,
      ]);
      const out = new Uint8Array(3);
      expect([await limiter.allowMany(["a", "a", "a"], out), ...out]).toEqual([2, 1, 1, 0]);
    }
  });

  it("is notified of degradations, and the decision has the cause", async () => {
    const { seen, observe, clock } = watch();
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, observe, store });
    store.outage = { cause: "timeout", policy: "allow" };
    expect(await limiter.consume("a")).toEqual({
      allowed: true,
      limiter: "api",
      limit: undefined,
      limits: [],
      remaining: undefined,
      limitRemaining: undefined,
      resetMs: 0,
      retryAfterMs: 0,
      degraded: "timeout",
    });
    store.outage = { cause: "connection lost", policy: "deny" };
    expect(await limiter.consume("a")).toEqual({
      allowed: false,
      reason: "store-unavailable",
      limiter: "api",
      limit: undefined,
      limits: [],
      violated: [],
      remaining: undefined,
      limitRemaining: undefined,
      resetMs: 0,
      retryAfterMs: 250,
      usedAfterRetry: 0,
      degraded: "connection lost",
    });
    expect(await limiter.allow("a")).toBe(false);
    expect(await limiter.explain("a")).toEqual([]);
    expect(seen.filter(({ type }) => type === "degradation")).toEqual([
      { type: "degradation", limiter: "api", cause: "timeout" },
      { type: "degradation", limiter: "api", cause: "connection lost" },
      { type: "degradation", limiter: "api", cause: "connection lost" },
      { type: "degradation", limiter: "api", cause: "connection lost" },
    ]);
    store.outage = undefined;
    expect(await limiter.consume("a")).not.toHaveProperty("degraded");
  });
});
