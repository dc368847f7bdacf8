import {
  combine,
  createLimiter,
  fixedWindow,
  type LocalStore,
  memoryStore,
  type Observation,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { errorOf } from "../error-of.ts";
import { START_MS } from "../start-ms.ts";
import { setUp } from "./set-up.ts";

const LOCAL: readonly [string, (maxKeys: number) => LocalStore][] = [
  ["a memory store", (maxKeys) => memoryStore({ maxKeys })],
  ["a table store", (maxKeys) => tableStore({ maxKeys })],
];

function textOf(work: () => unknown): string {
  const { code, message } = errorOf(work);
  return `${code} ${message}`;
}

describe("blockFor is refused", () => {
  it.each([
    [
      "on a shadow limit",
      { mode: "shadow", blockFor: "1m" },
      /^ERR_LIMIT blockFor: expected mode: "enforce".*"shadow"/,
    ],
    ["below a microsecond", { blockFor: 0.0001 }, /^ERR_DURATION blockFor: expected .*above 0.*, got 0.0001/],
    ["with another option", { blockFor: { duration: "1m", extends: true } }, /^ERR_OPTION blockFor: .*"extend"/],
    ["with a text as extend", { blockFor: { duration: "1m", extend: "yes" } }, /^ERR_OPTION blockFor.extend: .*"yes"/],
    [
      "without a duration",
      { blockFor: { durations: [], forgetAfter: "1d" } },
      /^ERR_OPTION blockFor.durations: .*got 0/,
    ],
    ["with a bad duration", { blockFor: { durations: ["1m", 0], forgetAfter: 1 } }, /^ERR_DURATION .*durations\[1\]/],
    ["without forgetAfter", { blockFor: { durations: ["1m"] } }, /^ERR_DURATION blockFor.forgetAfter: .*undefined/],
  ])("%s", (_what, options, message) => {
    for (const make of [
      () => perMinute(5, options as never),
      () => fixedWindow({ limit: 5, window: "1m", ...(options as object) }),
      () => slidingWindow({ limit: 5, window: "1m", ...(options as object) }),
    ]) {
      expect(textOf(make)).toMatch(message);
    }
  });

  it("over a store that keeps no blocks, and so is block", () => {
    const { blocks: _, ...rest } = withMethods(memoryStore());
    const store: SyncStore = rest;
    expect(textOf(() => createLimiter({ store, limits: [perMinute(5, { blockFor: "1m" })] }))).toMatch(
      /^ERR_STORE store: expected a store that keeps blocks, because the limit "5-per-1m" has blockFor/,
    );
    const chosen = createLimiter({ store, limits: () => [perMinute(5, { blockFor: "1m" })] });
    expect(textOf(() => chosen.allow("a"))).toMatch(/^ERR_STORE store/);
    const plain = createLimiter({ store, limits: [perMinute(5)] });
    expect(textOf(() => plain.block("a", "1m"))).toMatch(/^ERR_STORE block: expected a store that keeps blocks/);
    expect(textOf(() => plain.unblock("a"))).toMatch(/^ERR_STORE/);
    expect(plain.allow("a")).toBe(true);
  });
});

describe("block refuses", () => {
  const { limiter, clock } = setUp([perMinute(5)]);

  it.each([
    [() => limiter.block("a", 0), /^ERR_DURATION duration: .*above 0.*got 0/],
    [() => limiter.block("a", { until: clock.now() }), /^ERR_DURATION until: .*after now and at most 10 years later/],
    [
      () => limiter.block("a", { until: new Date(clock.now() + 3_653 * 86_400_000) }),
      /^ERR_DURATION until: .*got \d+ at/,
    ],
    [() => limiter.block("a", { untill: 5 } as never), /^ERR_OPTION block: .*did you mean "until"/],
    [() => limiter.block("a", "1m", { reason: "x".repeat(101) }), /^ERR_OPTION reason/],
    [() => limiter.block("a", "1m", { because: "x" } as never), /^ERR_OPTION block: unknown option "because"/],
    [() => limiter.block({} as never, "1m"), /^ERR_KEY/],
  ])("%s", (act, message) => {
    expect(textOf(act)).toMatch(message);
    expect(limiter.blockedUntil("a")).toBeUndefined();
  });
});

describe.each(LOCAL)("in %s that is full", (_name, createStore) => {
  it("a blocked key is in use, and keeps its block when keys flood in", () => {
    const clock = manualClock(START_MS);
    const store = createStore(50);
    const limiter = createLimiter({ name: "flooded", limits: [perSecond(5)], clock, store });
    limiter.block("ann", "1h");
    expect(store.size).toBe(1);
    for (let i = 0; i < 500; i += 1) limiter.allow(`key-${i}`);
    if (_name === "a memory store") expect(store.size).toBe(50);
    clock.advance(60_000);
    for (let i = 0; i < 5_000; i += 1) limiter.allow(`other-${i}`);
    expect(limiter.allow("ann")).toBe(false);
    limiter.sweep();
    expect(limiter.allow("ann")).toBe(false);
    clock.advance(3_600_000);
    for (let i = 0; i < 64; i += 1) limiter.allow("bob");
    limiter.sweep();
    expect(limiter.allow("ann")).toBe(true);
  });
});

describe("in a full memory store", () => {
  it("block takes the place of an idle key, or throws", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore({ maxKeys: 2 });
    const limiter = createLimiter({ name: "full", limits: [perSecond(1)], clock, store });
    limiter.block("ann", "1h");
    limiter.block("bob", "1h");
    expect(textOf(() => limiter.block("cid", "1h"))).toMatch(
      /^ERR_STORE block: expected a store with capacity for another blocked key, got a full one, of the limiter "full"/,
    );
    expect(limiter.allow("cid")).toBe(true);
    limiter.block("ann", "2h");
    limiter.unblock("bob");
    clock.advance(60_000);
    limiter.block("cid", "1h");
    expect([limiter.allow("ann"), limiter.allow("bob"), limiter.allow("cid")]).toEqual([false, true, false]);
  });

  it("an exhausted key for which there is no room is denied, and not blocked", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore({ maxKeys: 1 });
    const limiter = createLimiter({ name: "small", limits: [perSecond(1, { blockFor: "1m" })], clock, store });
    limiter.allow("ann");
    const denied = limiter.consume("ann");
    expect([denied.allowed || denied.reason, denied.block, limiter.blockedUntil("ann")]).toEqual([
      "exhausted",
      undefined,
      undefined,
    ]);
  });
});

it("a table store blocks as many keys as it has slots for, beside their counts", () => {
  const store = tableStore({ maxKeys: 2 });
  const limiter = createLimiter({ limits: [perSecond(1)], clock: manualClock(START_MS), store });
  for (const key of ["ann", "bob", "cid", "dan"]) limiter.allow(key);
  limiter.block("ann", "1h");
  limiter.block("bob", "1h");
  expect(textOf(() => limiter.block("cid", "1h"))).toMatch(/^ERR_STORE block/);
  expect([limiter.allow("ann"), limiter.allow("bob")]).toEqual([false, false]);
});

describe("a block", () => {
  it("that is over gives its place back, with its offences once they are forgotten", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const blockFor = { durations: ["1m"], forgetAfter: "1h" } as const;
    const limiter = createLimiter({ limits: [perSecond(1, { blockFor })], clock, store });
    for (let i = 0; i < 100; i += 1) limiter.allow(`key-${i}`, 1);
    for (let i = 0; i < 100; i += 1) limiter.allow(`key-${i}`, 1);
    const bytes = store.bytes;
    expect(store.size).toBe(200);
    clock.advance(3_000_000);
    for (let i = 0; i < 1_000; i += 1) limiter.peek("another", 0);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("another", 0);
    expect(store.size).toBe(100);
    clock.advance(700_000);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("another", 0);
    expect([store.size, store.bytes < bytes - 30_000]).toEqual([0, true]);
  });

  it("is not begun by an overflow bucket, which other keys may have exhausted", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore({ maxKeys: 3 });
    const limits = [perMinute(1, { blockFor: "1h" })];
    const crowded = createLimiter({ name: "crowded", limits, clock, store });
    const other = createLimiter({ name: "other", limits: [perMinute(1, { blockFor: "1h" })], clock });
    const both = combine(crowded, other);
    for (const key of ["a", "b", "c"]) crowded.allow(key);
    expect([both.allow("d"), both.allow("d")]).toEqual([true, false]);
    expect([crowded.blockedUntil("d"), other.blockedUntil("d")]).toEqual([undefined, START_MS + 3_600_000]);
  });

  it("is shown to observers, with the decision that it denied or that began it", () => {
    const seen: Observation[] = [];
    const limits = [tokenBucket({ capacity: 1, refill: 1, per: "1s", blockFor: "1m" })];
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits, clock, observe: (observation) => seen.push(observation) });
    expect([limiter.allow("a"), limiter.allow("a"), limiter.allow("a")]).toEqual([true, false, false]);
    expect(
      seen.map((one) =>
        one.type === "decision" ? [one.decision.allowed || one.decision.reason, one.decision.block] : one.type,
      ),
    ).toEqual([[true, undefined], ["exhausted", { endsInMs: 60_000 }], "block", ["blocked", { endsInMs: 60_000 }]]);
  });

  it("of long keys and of tuples is theirs alone", () => {
    const { limiter } = setUp([perMinute(5)]);
    const long = "x".repeat(100_000);
    limiter.block(long, "1m");
    expect([limiter.allow(long), limiter.allow(`${long}y`), limiter.allow("x")]).toEqual([false, true, true]);
    const tuples = createLimiter({ key: (key: [string, number]) => key, limits: [perMinute(5)] });
    tuples.block(["a", 1], "1m");
    expect([tuples.allow(["a", 1]), tuples.allow(["a", 2]), tuples.byKey(["a", 1]).unblock()]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is looked up by limiters with look-ups", async () => {
    const limiter = createLimiter({ key: async (input: { id: string }) => input.id, limits: [perMinute(5)] });
    await limiter.block({ id: "ann" }, "1m", { reason: "by hand" });
    expect((await limiter.consume({ id: "ann" })).block?.reason).toBe("by hand");
    expect(await limiter.blockedUntil({ id: "ann" })).toBeGreaterThan(0);
    const handle = limiter.handle({ id: "ann" });
    expect([await handle.unblock(), await handle.blockedUntil(), await handle.allow()]).toEqual([
      true,
      undefined,
      true,
    ]);
    await handle.block("1m");
    expect(await limiter.unblock({ id: "ann" })).toBe(true);
  });
});

/** The store as a plain object, whose methods can be left out. */
function withMethods(store: SyncStore): SyncStore {
  return {
    kind: store.kind,
    open: (plan, context) => store.open(plan, context),
    blocks: (scope, limiter, context) => store.blocks!(scope, limiter, context),
    close: () => store.close(),
  };
}
