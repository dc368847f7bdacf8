import { describe, expect, it } from "vitest";
import { transact } from "./model.ts";
import { bucket, fixed, model, SECOND } from "./sample-limits.ts";

describe("several limits of the model", () => {
  it("take all or nothing, and bind by the smallest fraction left or the longest wait", () => {
    const m = model(bucket(), fixed({ limit: 3n, windowUs: 10n * SECOND }));
    // 9 of 10 against 2 of 3.
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject({
      allowed: true,
      binding: 1,
      remaining: 2n,
    });
    expect(m.apply("take", "k", 0n, 2n)).toMatchObject({
      allowed: true,
      binding: 1,
      remaining: 0n,
    });
    const denied = {
      allowed: false,
      binding: 1,
      remaining: 0n,
      retryAfterUs: 10n * SECOND,
      usedAfterRetry: 0n,
    };
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject(denied);
    expect(m.explain("k", 0n, 1n).map((report) => report.used)).toEqual([3n, 3n]);
    expect(m.explain("k", 0n, 1n).map((report) => report.allowed)).toEqual([true, false]);
  });

  it("bind by the first of equal limits", () => {
    const m = model(fixed({ limit: 6n }), bucket({ capacity: 3n }), fixed({ limit: 2n }));
    // 4/6, 1/3, 0/2.
    expect(m.apply("peek", "k", 0n, 2n).binding).toBe(2);
    const even = model(fixed({ limit: 6n }), fixed({ limit: 6n }));
    expect(even.apply("take", "k", 0n, 6n).binding).toBe(0);
    expect(even.apply("take", "k", 0n, 1n).binding).toBe(0);
    expect(even.apply("take", "k", 0n, 7n).binding).toBe(0);
  });

  it("bind by the first limit for which no wait helps", () => {
    const m = model(fixed({ limit: 9n }), fixed({ limit: 5n }), fixed({ limit: 4n }));
    expect(m.apply("take", "k", 0n, 6n)).toMatchObject({
      binding: 1,
      reason: "cost-over-capacity",
      remaining: 4n,
    });
  });

  it("count costs by their units", () => {
    const limits = [fixed({ limit: 5n }), fixed({ limit: 100n, unit: "tokens" }), fixed({ limit: 4n })];
    const m = model(...limits);
    m.apply("take", "k", 0n, 1n);
    m.apply("take", "k", 0n, { tokens: 70n });
    m.apply("take", "k", 0n, { requests: 1n, tokens: 10n, other: 3n });
    expect(m.explain("k", 0n, 0n).map((report) => report.used)).toEqual([2n, 80n, 2n]);
    // 3/5, 20/100, 2/4: `remaining` counts the unit of the binding limit only.
    expect(m.apply("peek", "k", 0n, 0n)).toMatchObject({
      binding: 1,
      remaining: 20n,
    });
    expect(m.apply("peek", "k", 0n, 2n)).toMatchObject({
      binding: 2,
      remaining: 0n,
    });
    const onlyUnit = model(fixed({ unit: "tokens" }));
    expect(onlyUnit.apply("take", "k", 0n, 2n)).toMatchObject({
      remaining: 1n,
    });
  });

  it("let a shadow limit neither deny nor bind", () => {
    const m = model(fixed({ limit: 2n, mode: "shadow" }), bucket());
    expect(m.apply("take", "k", 0n, 2n)).toMatchObject({
      allowed: true,
      binding: 1,
      remaining: 8n,
      shadowDenied: [],
    });
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject({
      allowed: true,
      binding: 1,
      shadowDenied: [0],
    });
    expect(m.explain("k", 0n, 0n).map((report) => report.used)).toEqual([2n, 3n]);
    m.apply("charge", "k", 0n, 1n);
    expect(m.explain("k", 0n, 0n).map((report) => report.used)).toEqual([3n, 4n]);
    m.apply("refund", "k", 0n, 2n);
    expect(m.explain("k", 0n, 0n).map((report) => report.used)).toEqual([1n, 2n]);
    expect(m.apply("take", "k", 0n, 11n)).toMatchObject({
      allowed: false,
      binding: 1,
      shadowDenied: [0],
    });
  });

  it("leave a shadow limit unchanged when the call is denied", () => {
    const m = model(fixed({ limit: 1n }), fixed({ limit: 9n, mode: "shadow" }));
    m.apply("take", "k", 0n, 1n);
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject({
      allowed: false,
      binding: 0,
      shadowDenied: [],
    });
    expect(m.explain("k", 0n, 0n).map((report) => report.used)).toEqual([1n, 1n]);
  });

  it("have no binding limit when all are in shadow mode", () => {
    const m = model(fixed({ limit: 1n, mode: "shadow" }));
    const outcome = {
      allowed: true,
      binding: undefined,
      remaining: "unlimited",
      resetUs: 0n,
    };
    expect(m.apply("take", "k", 0n, 1n)).toEqual({
      ...outcome,
      shadowDenied: [],
    });
    expect(m.apply("take", "k", 0n, 1n)).toEqual({
      ...outcome,
      shadowDenied: [0],
    });
  });

  it("record the first touch of a bucket that begins empty even when another limit denies", () => {
    const m = model(fixed({ limit: 1n }), bucket({ initial: "empty", mode: "shadow" }));
    expect(m.apply("take", "k", 0n, 2n)).toMatchObject({
      allowed: false,
      binding: 0,
      shadowDenied: [1],
    });
    expect(m.explain("k", 500_000n, 0n).map((report) => report.used)).toEqual([0n, 5n]);
  });

  it("lose a key to a sweep only when it is idle under every one of them", () => {
    const m = model(bucket(), fixed({ windowUs: 3n * SECOND }));
    m.apply("take", "k", 0n, 1n);
    m.sweep(3n * SECOND - 1n);
    expect(m.size).toBe(1);
    m.sweep(3n * SECOND);
    expect(m.size).toBe(0);
    m.apply("take", "k", 0n, 1n);
    m.reset("k");
    expect(m.size).toBe(0);
  });

  it("forget a key together, the longest idle time after the last unit stopped counting", () => {
    const empty = bucket({ initial: "empty", idleTtlUs: 5n });
    const other = bucket({ initial: "empty", idleTtlUs: SECOND, capacity: 1n });
    const window = fixed({ anchor: "first-use", windowUs: 3n * SECOND });
    const m = model(empty, other, window);
    m.apply("charge", "k", 0n, 1n); // full at 1.1 s and 0.2 s; the window is over at 3 s, the key forgotten at 4 s
    const used = (nowUs: bigint) => m.explain("k", nowUs, 0n).map((report) => report.used);
    expect(used(4n * SECOND - 1n)).toEqual([0n, 0n, 0n]);
    expect(used(4n * SECOND)).toEqual([10n, 1n, 0n]);
    m.sweep(4n * SECOND - 1n);
    expect(m.size).toBe(1);
    // The key begins anew even when denied: its old state is gone when the clock goes back.
    expect(m.apply("take", "k", 4n * SECOND, 2n)).toMatchObject({ allowed: false, reason: "cost-over-capacity" });
    expect(used(2n * SECOND)).toEqual([30n, 21n, 0n]);
  });

  it("of several limiters take all or nothing, each by its own key", () => {
    const one = model(fixed({ limit: 2n }));
    const other = model(fixed({ limit: 9n }), fixed({ limit: 3n, windowUs: 1_000n }));
    const calls = (key: string) => [
      { model: one, key, cost: 1n },
      { model: other, key: "shared", cost: 1n },
    ];
    expect(transact("take", calls("a"), 0n)).toMatchObject({
      allowed: true,
      binding: 0,
      remaining: 1n,
    });
    expect(transact("take", calls("a"), 0n)).toMatchObject({
      allowed: true,
      binding: 0,
      remaining: 0n,
    });
    expect(transact("take", calls("a"), 0n)).toMatchObject({
      allowed: false,
      binding: 0,
      retryAfterUs: 100n,
    });
    expect(transact("take", calls("b"), 0n)).toMatchObject({
      allowed: true,
      binding: 2,
      remaining: 0n,
    });
    expect(transact("take", calls("b"), 0n)).toMatchObject({
      allowed: false,
      binding: 2,
      retryAfterUs: 1_000n,
    });
    expect(one.explain("b", 0n, 0n)[0]?.used).toBe(1n);
    expect(other.explain("shared", 0n, 0n).map((report) => report.used)).toEqual([3n, 3n]);
  });

  it("of several limiters count a number in their only unit, or as requests", () => {
    const one = model(fixed({ unit: "tokens" }));
    const other = model(fixed({ unit: "requests" }));
    transact(
      "take",
      [
        { model: one, key: "k", cost: 2n },
        { model: other, key: "k", cost: 2n },
      ],
      0n,
    );
    expect([one.size, other.size]).toEqual([0, 1]);
    transact(
      "take",
      [
        { model: one, key: "k", cost: 2n },
        { model: model(fixed({ unit: "tokens" })), key: "k", cost: 2n },
      ],
      0n,
    );
    expect([one.size, other.size]).toEqual([1, 1]);
  });
});
