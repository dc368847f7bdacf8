import {
  type AsyncLimiter,
  combine,
  createLimiter,
  fixedWindow,
  type Key,
  type Limiter,
  memoryStore,
  perMinute,
  perSecond,
  slidingWindow,
} from "tollgate";
import type { AsyncSpace, LimiterContext, Plan, TimeCell } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

type Call = { readonly user: string; readonly route: string };

const setUp = () => {
  const clock = manualClock(START_MS);
  const perUser = createLimiter({
    name: "user",
    key: (call: Call) => call.user,
    limits: [perSecond(3), perMinute(5)],
    clock,
    store: memoryStore(),
  });
  const perRoute = createLimiter({
    name: "route",
    key: ({ route }: { readonly route: string }) => route,
    limits: [slidingWindow({ limit: 4, window: "10s" })],
    clock,
    store: memoryStore(),
  });
  return { clock, perUser, perRoute, both: combine(perUser, perRoute) };
};
const used = <Input>(limiter: Limiter<Input>, input: Input) => limiter.explain(input).map((one) => one.used);

describe("a combination over two memory stores, with different keys and algorithms,", () => {
  it("has every verb", () => {
    const { clock, perUser, perRoute, both } = setUp();
    const ann = { user: "ann", route: "/a" };
    expect(both.peek(ann)).toMatchObject({ allowed: true, limiter: "user", remaining: 2 });
    expect(both.size).toBe(0);
    expect(both.consume(ann, 2)).toMatchObject({
      allowed: true,
      limiter: "user",
      limit: { name: "3-per-1s" },
      remaining: 1,
    });
    expect(both.explain(ann).map(({ limiter, key }) => [limiter, key])).toEqual([
      ["user", "ann"],
      ["user", "ann"],
      ["route", "/a"],
    ]);
    expect(both.charge(ann, 5)).toMatchObject({ allowed: false, limiter: "user", limit: { name: "3-per-1s" } });
    both.refund(ann, 6);
    expect([used(perUser, ann), used(perRoute, ann)]).toEqual([[1, 1], [1]]);
    expect(both.consume(ann, 4)).toMatchObject({ allowed: false, reason: "cost-over-capacity", limiter: "user" });
    expect(both.size).toBe(2);
    clock.advance(60_000);
    expect(both.sweep()).toBe(2);
    both.allow(ann);
    both.reset(ann);
    expect([perUser.size, perRoute.size]).toEqual([0, 0]);
    both.allow(ann);
    both.clear();
    expect(both.size).toBe(0);
    expect(both.name).toBe("user + route");
  });

  it("takes a plain cost as requests if its limiters count different units", () => {
    const clock = manualClock(START_MS);
    const requests = createLimiter({ name: "requests", limits: [perSecond(5)], clock });
    const tokens = createLimiter({ name: "tokens", limits: [perSecond(9, { unit: "tokens" })], clock });
    const both = combine(requests, tokens);
    both.allow("a");
    both.allow("a", { tokens: 2 });
    expect([used(requests, "a"), used(tokens, "a")]).toEqual([[1], [2]]);
  });

  it("may contain limits chosen by a function and other combinations", () => {
    const { clock, perUser, perRoute } = setUp();
    const dynamic = createLimiter({
      name: "dynamic",
      key: (call: Call) => call.user,
      limits: () => [fixedWindow({ limit: 2, window: "1h" })],
      clock,
    });
    const all = combine(combine(perUser, perRoute), dynamic);
    const ann = { user: "ann", route: "/a" };
    expect([all.allow(ann), all.allow(ann), all.allow(ann)]).toEqual([true, true, false]);
    expect([used(perUser, ann), used(perRoute, ann), used(dynamic, ann)]).toEqual([[2, 2], [2], [2]]);
  });

  it("accepts inputs that all of its limiters accept", () => {
    const { perUser, perRoute, both } = setUp();
    expectTypeOf(both).toEqualTypeOf<Limiter<Call & { readonly route: string }>>();
    expectTypeOf(combine(perRoute)).toEqualTypeOf<Limiter<{ readonly route: string }>>();
    // @ts-expect-error the first limiter needs a user
    expect(() => combine(perUser, perRoute).allow({ route: "/a" })).toThrow(/^key: /);
  });
});

describe("a combination over one asynchronous store", () => {
  it("takes from all or from none in one message", async () => {
    const store = new AsyncTwin();
    const clock = manualClock(START_MS);
    const one = createLimiter({ name: "one", limits: [perSecond(3)], clock, store });
    const other = createLimiter({ name: "other", key: () => "all", limits: [perMinute(4)], clock, store });
    const both = combine(one, other);
    expectTypeOf(both).toExtend<AsyncLimiter>();
    const answers = await Promise.all(["a", "a", "a", "a", "b", "b"].map((key) => both.allow(key)));
    expect(answers).toEqual([true, true, true, false, true, false]);
    expect((await one.explain("b"))[0]?.used).toBe(1);
    await both.reset("a");
    expect(await both.size()).toBe(1);
    await both.clear();
    expect(await both.sweep()).toBe(0);
    await both[Symbol.asyncDispose]();
  });

  it("counts the key of the limiter that has limits, if another has none", async () => {
    const store = new DirectTwin();
    const clock = manualClock(START_MS);
    const none = createLimiter({ name: "none", limits: (_key: string) => "unlimited" as const, clock, store });
    const all = createLimiter({ name: "all", key: (_key: string) => "all", limits: [perSecond(1)], clock, store });
    const both = combine(none, all);
    expect([await both.allow("a"), await both.handle("b").allow()]).toEqual([true, false]);
    await none.block("c", "1m");
    clock.advance(1_000);
    expect(await both.allow("c")).toBe(false);
  });
});

/** Answers a yes or no without a report. */
class DirectTwin extends AsyncTwin {
  override open(plan: Plan, context: LimiterContext): AsyncSpace {
    const space = super.open(plan, context);
    const allow = async (key: string, cost: number, now: TimeCell) =>
      (await this.transact("take", [{ space, key, costs: [cost] }], now)).admitted;
    return Object.assign(space, { allow });
  }
}

describe("combine", () => {
  const clock = manualClock(START_MS);
  const store = memoryStore();
  const sync = (name?: string) =>
    createLimiter({ ...(name !== undefined && { name }), limits: [perSecond(1)], clock, store });
  const async = (twin: AsyncTwin) => createLimiter({ name: "async", limits: [perSecond(1)], clock, store: twin });
  const limiter = sync("x");

  it.each<[string, () => unknown, string]>([
    ["an empty list", () => combine(...([] as Limiter[])), "expected at least one limiter, got none"],
    [
      "an object that is not a limiter",
      () => combine(limiter, {} as Limiter),
      "expected limiters made by createLimiter or combine, got an object",
    ],
    [
      "a synchronous and an asynchronous limiter",
      () => combine(limiter, async(new AsyncTwin()) as unknown as Limiter),
      "expected stores that are all in this process, or all the same, got both kinds",
    ],
    [
      "two asynchronous stores",
      () => combine(async(new AsyncTwin()), async(new AsyncTwin())),
      "expected limiters of one asynchronous store, got several",
    ],
    [
      "two clocks",
      () => combine(limiter, createLimiter({ limits: [perSecond(1)] })),
      "expected limiters with one clock, got several",
    ],
    [
      "one limiter twice",
      () => combine(limiter, limiter),
      'expected limiters that differ, with names that differ where they share a store, got "x" twice',
    ],
    [
      "one limiter inside a combination and beside it",
      () => combine(combine(limiter, sync("y")), sync("x")),
      'expected limiters that differ, with names that differ where they share a store, got "x" twice',
    ],
  ])("refuses %s", (_name, attempt, message) => {
    expect(attempt).toThrow(expect.objectContaining({ code: "ERR_COMBINE", message: `combine: ${message}` }));
  });

  it("accepts limiters without names over one store, whose keys are their own", () => {
    expect(combine(sync(), sync()).allow("a")).toBe(true);
  });
});

describe("the type of a combination", () => {
  const limits = [perSecond(1)];
  const clock = manualClock(START_MS);
  const near = createLimiter({ name: "near", limits, clock });
  const later = createLimiter({ name: "later", key: (user: { id: string }) => user.id, limits, clock, async: true });
  const either = createLimiter({ name: "either", limits, clock, store: new AsyncTwin() }) as Limiter | AsyncLimiter;

  it("is asynchronous if one of its limiters is, and of either kind if one may be", () => {
    expectTypeOf(combine(near)).toEqualTypeOf<Limiter<Key>>();
    expectTypeOf(combine(later)).toEqualTypeOf<AsyncLimiter<{ id: string }>>();
    expectTypeOf(combine(either)).toEqualTypeOf<Limiter | AsyncLimiter>();
    const anything = createLimiter({ name: "all", key: () => "all", limits, clock });
    expectTypeOf(combine(anything, later)).toEqualTypeOf<AsyncLimiter<{ id: string }>>();
    expect(combine(anything, later).kind).toBe("async");
  });

  it("does not exist for inputs that exclude each other", () => {
    // @ts-expect-error: what is a key for one is a user for the other
    expect(combine(near, later).kind).toBe("async");
  });
});
