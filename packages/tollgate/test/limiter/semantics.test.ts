import {
  combine,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  memoryStore,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;

const setUp = (limits: readonly Limit[] | ((key: string) => readonly Limit[] | undefined)) => {
  const clock = manualClock(START_MS);
  return { clock, limiter: createLimiter({ limits, clock }) };
};
const used = (limiter: Limiter, key = "a") => limiter.explain(key).map((one) => one.used);

describe("several limits", () => {
  it("10/s and 100/min: a denial leaves every cell as it was, bit for bit", () => {
    const { clock, limiter } = setUp([perSecond(10), perMinute(100), slidingWindow({ limit: 90, window: "1m" })]);
    for (let second = 0; second < 9; second += 1) {
      for (let i = 0; i < 10; i += 1) expect(limiter.allow("a")).toBe(true);
      const before = limiter.explain("a");
      for (let i = 0; i < 50; i += 1) expect(limiter.allow("a")).toBe(false);
      for (let i = 0; i < 50; i += 1) expect(limiter.consume("a", 3).allowed).toBe(false);
      expect(limiter.explain("a")).toEqual(before);
      clock.advance(1_000);
    }
    expect(limiter.consume("a").limit?.algorithm).toBe("sliding-window");
  });

  it("by function: GET 50/s and POST 10/s, two plans of clients, a switch of plan", () => {
    const clock = manualClock(START_MS);
    type Call = { readonly client: string; readonly method: "GET" | "POST"; readonly paid: boolean };
    const get = perSecond(50, { name: "get" });
    const post = perSecond(10, { name: "post" });
    const free = perMinute(20, { name: "free" });
    const limiter = createLimiter({
      key: (call: Call) => call.client,
      limits: ({ method, paid }) => [method === "GET" ? get : post, ...(paid ? [] : [free])],
      clock,
    });
    const calls = (client: string, method: Call["method"], paid: boolean, count: number) =>
      Array.from({ length: count }, () => limiter.allow({ client, method, paid })).filter(Boolean).length;

    expect(calls("paying", "GET", true, 60)).toBe(50);
    expect(calls("paying", "POST", true, 60)).toBe(10);
    expect(calls("free", "POST", false, 60)).toBe(10);
    expect(calls("free", "GET", false, 60)).toBe(10);
    // The client pays from now on: its buckets per method are the same ones.
    expect(calls("free", "GET", true, 60)).toBe(40);
    expect(calls("free", "POST", true, 60)).toBe(0);
  });

  it("a function's limit in two lists is one bucket, even where the limit was made twice", () => {
    const { limiter } = setUp((key) => (key === "a" ? [perSecond(3)] : []));
    expect(Array.from({ length: 5 }, () => limiter.allow("a")).filter(Boolean)).toHaveLength(3);
  });

  it.each([undefined, []])("a function that returns %s: allowed, nothing counted", (limits) => {
    const { limiter } = setUp(() => limits);
    expect(limiter.consume("a", 1_000)).toEqual({
      allowed: true,
      limiter: "limiter",
      limit: undefined,
      remaining: Number.POSITIVE_INFINITY,
      resetMs: 0,
    });
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.explain("a")).toEqual([]);
    expect(limiter.size).toBe(0);
  });

  it("a function may return ten thousand different limits; those whose keys are gone are let go", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const limiter = createLimiter({ limits: (key) => [perSecond(1, { burst: Number(key) })], clock, store });
    for (let i = 1; i <= 10_000; i += 1) {
      expect(limiter.consume(String(i), i).allowed).toBe(true);
      clock.advance(20_000_000);
      if (i % 500 === 0) limiter.sweep();
    }
    expect(limiter.sweep()).toBeLessThanOrEqual(500);
    expect(limiter.size).toBe(0);
  });
});

describe("identity", () => {
  it("is the limiter's name, the limit's name and what decides; not the mode", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const named = (limits: Limit[], name = "api") => createLimiter({ name, limits, clock, store });
    named([perSecond(2)]).allow("a", 2);
    expect(named([perSecond(2)]).allow("a")).toBe(false);
    expect(used(named([perSecond(2, { mode: "shadow" })]))).toEqual([2]);
    expect(named([perSecond(2)], "other").allow("a")).toBe(true);
    expect(named([perSecond(2, { name: "renamed" })]).allow("a")).toBe(true);
    expect(named([perSecond(3)]).allow("a")).toBe(true);
    expect(named([perSecond(2, { unit: "tokens" })]).allow("a")).toBe(true);
    expect(named([perSecond(2, { initial: "empty" })]).allow("a")).toBe(false);
  });

  it("without a name is the limiter's own", () => {
    const store = memoryStore();
    const one = createLimiter({ limits: [perSecond(1)], store });
    const other = createLimiter({ limits: [perSecond(1)], store });
    expect([one.allow("a"), other.allow("a"), one.allow("a")]).toEqual([true, true, false]);
  });

  it("of a limit made per call, enforcing for some and in shadow for others, is one bucket", () => {
    const { limiter } = setUp((key) => [perSecond(2, { mode: key === "a" ? "enforce" : "shadow" })]);
    limiter.allow("a", 2);
    expect(limiter.allow("a")).toBe(false);
  });
});

describe("cost", () => {
  const llm = () => setUp([perMinute(60), perMinute(100_000, { unit: "tokens", burst: 20_000 })]);

  it("as a number counts in the only unit", () => {
    const { limiter } = setUp([perMinute(100, { unit: "tokens" }), perSecond(50, { unit: "tokens" })]);
    limiter.allow("a", 30);
    expect(used(limiter)).toEqual([30, 30]);
  });

  it("as a number means requests where there are several units", () => {
    const { limiter } = llm();
    limiter.allow("a", 2);
    limiter.consume("a", 3);
    expect(used(limiter)).toEqual([5, 0]);
  });

  it("per unit is taken in one decision, all or nothing", () => {
    const { limiter } = llm();
    expect(limiter.consume("a", { requests: 1, tokens: 1_800 })).toMatchObject({ allowed: true, remaining: 18_200 });
    expect(limiter.allow("a", { requests: 1, tokens: 18_201 })).toBe(false);
    expect(limiter.allow("a", { tokens: 200 })).toBe(true);
    expect(used(limiter)).toEqual([1, 2_000]);
    limiter.refund("a", { tokens: 500 });
    expect(used(limiter)).toEqual([1, 1_500]);
  });

  it("in an unknown unit throws for fixed limits, and is ignored for limits by function and combine", () => {
    const { limiter, clock } = llm();
    const odd = { requests: 1, bytes: 5 };
    expect(() => limiter.consume("a", odd)).toThrow(
      expect.objectContaining({
        code: "ERR_COST",
        message: 'cost: expected units among "requests", "tokens", got "bytes"',
      }),
    );
    expect(used(limiter)).toEqual([0, 0]);
    expect(setUp(() => [perSecond(1)]).limiter.allow("a", odd)).toBe(true);
    const other = createLimiter({ name: "other", limits: [perSecond(5)], clock });
    expect(combine(limiter, other).allow("a", odd)).toBe(true);
    expect(used(limiter)).toEqual([1, 0]);
  });

  it("as a number is refused where there are several units and none counts requests", () => {
    const { limiter } = setUp([perSecond(5, { unit: "tokens" }), perSecond(5, { unit: "bytes" })]);
    const message =
      'cost: expected one per unit, such as { tokens: 1 }, because this limiter counts "tokens", "bytes" and no requests, got 1';
    expect(() => limiter.allow("a")).toThrow(expect.objectContaining({ code: "ERR_COST", message }));
    expect(limiter.allow("a", { tokens: 1, bytes: 2 })).toBe(true);
  });

  it("0 is allowed unless in debt, and takes nothing", () => {
    const { clock, limiter } = setUp([
      perSecond(5),
      slidingWindow({ limit: 5, window: "1s" }),
      fixedWindow({ limit: 5, window: "1s" }),
    ]);
    expect(limiter.allow("a", 0)).toBe(true);
    expect(limiter.size).toBe(0);
    limiter.allow("a", 5);
    expect(limiter.allow("a", 0)).toBe(true);
    limiter.charge("a", 1);
    expect(limiter.consume("a", 0)).toMatchObject({ allowed: false, reason: "exhausted" });
    clock.advance(2_000);
    expect(limiter.allow("a", 0)).toBe(true);
  });

  it("of tokens in debt holds back requests", () => {
    const { clock, limiter } = llm();
    limiter.charge("a", { requests: 1, tokens: 20_600 });
    expect(limiter.consume("a")).toMatchObject({ allowed: false, limit: { unit: "tokens" }, retryAfterMs: 360 });
    clock.advance(360);
    expect(limiter.allow("a")).toBe(true);
  });

  it.each([perSecond(5), slidingWindow({ limit: 5, window: "1s" }), fixedWindow({ limit: 5, window: "1s" })])(
    "above the capacity is denied for good: $algorithm",
    (limit) => {
      const { limiter } = setUp([limit]);
      for (const cost of [6, 1_000_000, Number.MAX_SAFE_INTEGER]) {
        expect(limiter.consume("a", cost)).toEqual({
          allowed: false,
          reason: "cost-over-capacity",
          limiter: "limiter",
          limit,
          remaining: 5,
          resetMs: 0,
          retryAfterMs: Number.POSITIVE_INFINITY,
          usedAfterRetry: 0,
        });
      }
      expect(limiter.allow("a", 5)).toBe(true);
    },
  );

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, [], true])(
    "%s throws before any state changes",
    (cost) => {
      const { limiter } = setUp([perSecond(5)]);
      for (const verb of ["allow", "consume", "peek", "explain", "charge", "refund"] as const) {
        const attempts = [
          () => limiter[verb]("a", cost as number),
          () => limiter[verb]("a", { requests: cost as number }),
        ];
        for (const attempt of attempts) {
          expect(attempt).toThrow(
            expect.objectContaining({ code: "ERR_COST", message: expect.stringMatching(/: expected .+, got /) }),
          );
        }
      }
      expect(limiter.size).toBe(0);
      expect(limiter.allow("a", 5)).toBe(true);
    },
  );

  it.each<[string, () => unknown]>([
    ["a Map", () => new Map([["requests", 99]])],
    ["a Number object", () => Object(99)],
    ["a Date", () => new Date(0)],
    ["an object that inherits its units", () => Object.create({ requests: 99 })],
    [
      "an object of a class",
      () =>
        new (class {
          readonly requests = 99;
        })(),
    ],
    ["a function", () => () => 5],
    ["a bigint", () => 5n],
    ["undefined, where it is required", () => undefined],
  ])("that is %s throws", (_name, cost) => {
    const { limiter } = setUp([perSecond(5)]);
    expect(() => limiter.charge("a", cost() as number)).toThrow(
      expect.objectContaining({
        code: "ERR_COST",
        message: expect.stringMatching(/^cost: expected a whole number, or one per unit, got /),
      }),
    );
    expect(limiter.size).toBe(0);
  });

  it("per unit is read once, and only what was checked counts", () => {
    const { limiter } = setUp([perSecond(5)]);
    let reads = 0;
    const shifty = {
      get requests() {
        reads += 1;
        return reads === 1 ? 1 : -100;
      },
    };
    limiter.charge("a", shifty);
    limiter.charge("a", Object.defineProperty({}, "requests", { value: -5 }));
    expect([reads, used(limiter)]).toEqual([1, [1]]);
  });

  it("per unit reads own properties alone", () => {
    const { limiter } = setUp([perSecond(5, { unit: "constructor" })]);
    expect(limiter.consume("a", {}).remaining).toBe(5);
    expect(limiter.consume("a", { constructor: 2 }).remaining).toBe(3);
  });
});

describe("key", () => {
  it.each([undefined, null, 5, {}, Symbol("a"), ["a"]])("%s throws", (key) => {
    const { limiter } = setUp([perSecond(5)]);
    const chosen = createLimiter({ key: () => key as string, limits: () => [perSecond(1)] });
    for (const attempt of [
      () => limiter.allow(key as string),
      () => limiter.consume(key as string),
      () => chosen.allow("x"),
      () => chosen.reset("x"),
    ]) {
      expect(attempt).toThrow(
        expect.objectContaining({ code: "ERR_KEY", message: expect.stringMatching(/^key: expected a string, got /) }),
      );
    }
    expect(limiter.size).toBe(0);
  });

  it("function that throws: the error reaches the caller and nothing is counted", () => {
    const limiter = createLimiter({
      key: (user: { id?: string }) => {
        if (user.id === undefined) throw new RangeError("no user");
        return user.id;
      },
      limits: [perSecond(1)],
    });
    expect(() => limiter.allow({})).toThrow(new RangeError("no user"));
    expect(limiter.size).toBe(0);
  });
});

describe("remaining", () => {
  it("is the least of the enforcing limits in the binding limit's unit, never below 0", () => {
    const { limiter } = setUp([
      perSecond(10),
      perMinute(12),
      perMinute(3, { name: "watched", mode: "shadow" }),
      perMinute(1_000, { unit: "tokens" }),
    ]);
    expect(limiter.consume("a", { requests: 5, tokens: 10 }).remaining).toBe(5);
    expect(limiter.consume("a", { requests: 1, tokens: 900 })).toMatchObject({
      remaining: 90,
      limit: { unit: "tokens" },
    });
    expect(limiter.charge("a", 20).remaining).toBe(0);
  });
});

describe("initial: empty", () => {
  const empty = tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty" });

  it.each([["allow"], ["consume"]] as const)("the first touch by %s is recorded though denied", (verb) => {
    const { clock, limiter } = setUp([empty, perSecond(10)]);
    limiter[verb]("a");
    expect(limiter.size).toBe(1);
    clock.advance(2_000);
    expect(used(limiter)).toEqual([2, 0]);
    expect(limiter.allow("a", 2)).toBe(true);
  });

  it("looking records nothing", () => {
    const { clock, limiter } = setUp([empty]);
    limiter.peek("a");
    limiter.explain("a");
    clock.advance(2_000);
    expect(limiter.allow("a")).toBe(false);
  });

  it("in a combination a denial by another limiter starts the fill", () => {
    const clock = manualClock(START_MS);
    const filling = createLimiter({ name: "filling", limits: [empty], clock });
    const shut = createLimiter({ name: "shut", limits: [perSecond(1)], clock });
    shut.allow("a");
    combine(filling, shut).allow("a", 0);
    combine(filling, shut).allow("a");
    clock.advance(500);
    expect(combine(filling, shut).allow("a")).toBe(false);
    clock.advance(500);
    expect(combine(filling, shut).allow("a")).toBe(true);
  });

  it("in a combination that always conforms itself, too", () => {
    const clock = manualClock(START_MS);
    const filling = createLimiter({
      name: "filling",
      limits: [perSecond(4, { unit: "tokens", initial: "empty" })],
      clock,
    });
    const shut = createLimiter({ name: "shut", limits: [perSecond(1)], clock });
    shut.allow("a");
    const both = combine(filling, shut);
    expect(both.allow("a", { requests: 1, tokens: 0 })).toBe(false);
    clock.advance(500);
    expect(filling.explain("a")[0]?.used).toBe(2);
  });

  it("is not empty again while another limit is waited for", () => {
    const { clock, limiter } = setUp([empty, fixedWindow({ limit: 1, window: "1h", anchor: "first-use" })]);
    limiter.allow("a");
    clock.advance(1_000);
    expect(limiter.allow("a")).toBe(true);
    const denied = limiter.consume("a");
    expect(denied).toMatchObject({ allowed: false, retryAfterMs: 3_600_000 });
    clock.advance(3_600_000);
    expect(limiter.sweep()).toBe(0);
    expect(limiter.allow("a")).toBe(true);
    clock.advance(3_600_000 + 60_000);
    expect(limiter.allow("a")).toBe(false);
  });

  it("an idle key is dropped only after its idle time, and starts empty again", () => {
    const { clock, limiter } = setUp([empty]);
    limiter.allow("a");
    clock.advance(4_000 + 59_999.999);
    expect(limiter.sweep()).toBe(0);
    expect(limiter.peek("a", 4).allowed).toBe(true);
    clock.advance(0.001);
    expect(limiter.peek("a", 4).allowed).toBe(false);
    expect(limiter.sweep()).toBe(1);
  });
});

describe("shadow limits", () => {
  it("take what conforms, never bind and never deny", () => {
    const shadow = perMinute(2, { mode: "shadow" });
    const { limiter } = setUp([perSecond(5), shadow]);
    const decisions = Array.from({ length: 6 }, () => limiter.consume("a"));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false]);
    expect(decisions.map(({ shadowDenied }) => shadowDenied?.map(({ name }) => name))).toEqual([
      undefined,
      undefined,
      [shadow.name],
      [shadow.name],
      [shadow.name],
      [shadow.name],
    ]);
    expect(decisions.every(({ limit }) => limit?.name === "5-per-1s")).toBe(true);
    expect(used(limiter)).toEqual([5, 2]);
  });

  it("alone allow everything", () => {
    const { limiter } = setUp([perSecond(1, { mode: "shadow" })]);
    limiter.allow("a");
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.consume("a", 50)).toMatchObject({
      allowed: true,
      limit: undefined,
      remaining: Number.POSITIVE_INFINITY,
    });
    expect(used(limiter)).toEqual([1]);
  });

  it("are charged and refunded like the others", () => {
    const { limiter } = setUp([perSecond(5), perMinute(2, { mode: "shadow" })]);
    limiter.charge("a", 4);
    expect(used(limiter)).toEqual([4, 4]);
    limiter.refund("a", 3);
    expect(used(limiter)).toEqual([1, 1]);
  });

  it("inside a combination keep to themselves", () => {
    const clock = manualClock(START_MS);
    const watched = createLimiter({ name: "watched", limits: [perSecond(1, { mode: "shadow" })], clock });
    const real = createLimiter({ name: "real", limits: [perSecond(3)], clock });
    const both = combine(watched, real);
    expect(Array.from({ length: 5 }, () => both.allow("a")).filter(Boolean)).toHaveLength(3);
    expect(both.consume("a").shadowDenied).toHaveLength(1);
    expect([used(watched), used(real)]).toEqual([[1], [3]]);
  });
});

describe("refund", () => {
  it.each([perSecond(5), slidingWindow({ limit: 5, window: "1s" }), fixedWindow({ limit: 5, window: "1s" })])(
    "gives back, never beyond full, and pays debt: $algorithm",
    (limit) => {
      const { limiter } = setUp([limit]);
      limiter.charge("a", 8);
      limiter.refund("a", 2);
      expect(used(limiter)).toEqual([6]);
      limiter.refund("a", 2);
      expect(limiter.consume("a")).toMatchObject({ allowed: true, remaining: 0 });
      limiter.refund("a", 1_000);
      expect(limiter.explain("a")[0]).toMatchObject({ used: 0, remaining: 5, resetMs: 0 });
      limiter.refund("never seen", 5);
      expect(limiter.size).toBe(1);
    },
  );

  it("a late one can admit again what had refilled meanwhile, as documented", () => {
    const { clock, limiter } = setUp([perSecond(5)]);
    limiter.allow("a", 5);
    clock.advance(600);
    limiter.refund("a", 5);
    expect(limiter.allow("a", 5)).toBe(true);
  });
});

describe("reset, clear, size, close", () => {
  it("forget a key under every limit that a function ever chose", () => {
    let limits = [perMinute(1)];
    const { limiter } = setUp(() => limits);
    limiter.allow("a");
    limits = [perMinute(2)];
    limiter.allow("a", 2);
    limiter.reset("a");
    expect(limiter.allow("a", 2)).toBe(true);
    limits = [perMinute(1)];
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.size).toBe(2);
    limiter.clear();
    expect(limiter.size).toBe(0);
  });

  it("a limiter can be disposed of, and goes on deciding", () => {
    const { limiter } = setUp([perSecond(1)]);
    limiter[Symbol.dispose]();
    expect([limiter.allow("a"), limiter.allow("a")]).toEqual([true, false]);
  });
});
