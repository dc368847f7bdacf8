import {
  combine,
  createLimiter,
  type Decision,
  fixedWindow,
  type Observation,
  perMinute,
  perSecond,
  tokenBucket,
} from "tollgate";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { countingClock, denialOf, follow, settled } from "./line-clock.ts";

const ONE_A_SECOND = [tokenBucket({ capacity: 1, refill: 1, per: "1s" })];
const TEN = [tokenBucket({ capacity: 10, refill: 10, per: "10s" })];

function limiterOf(limits = ONE_A_SECOND, options: { readonly maxWaiting?: number; readonly barging?: boolean } = {}) {
  const clock = countingClock(START_MS);
  return { clock, limiter: createLimiter({ limits, clock, ...options }) };
}

describe("a line", () => {
  it("of 1,000 calls is served in order, each at its moment, with one timer", async () => {
    const { clock, limiter } = limiterOf();
    limiter.allow("a");
    const served: (readonly [number, number])[] = [];
    const observed: number[] = [];
    for (let i = 0; i < 1_000; i += 1) void limiter.wait("a").then(() => served.push([i, observed.shift()!]));
    expect(clock.timers).toBe(1);
    for (let second = 1; second <= 1_000; second += 1) {
      clock.advance(999.999);
      await settled();
      expect(served.length).toBe(second - 1);
      clock.advance(0.001);
      observed.push(second);
      await settled();
    }
    expect(served).toEqual(Array.from({ length: 1_000 }, (_, i) => [i, i + 1]));
    expect(clock.timers).toBe(0);
  });

  it("of each key is served apart: 1,000 keys wait for the same time", async () => {
    const { clock, limiter } = limiterOf();
    const keys = Array.from({ length: 1_000 }, (_, i) => `key-${i}`);
    for (const key of keys) limiter.allow(key);
    const waits = keys.flatMap((key, i) => Array.from({ length: 1 + (i % 3) }, () => follow(limiter.wait(key))));
    expect(clock.timers).toBe(1_000);
    for (const count of [1_000, 1_666, 1_999]) {
      clock.advance(1_000);
      await settled();
      expect(waits.filter(({ end }) => end === "allowed").length).toBe(count);
    }
  });

  it("lets calls overtake with barging, and peek tells so", async () => {
    const { clock, limiter } = limiterOf(TEN, { barging: true });
    const handle = limiter.handle("a");
    limiter.allow("a", 7);
    const large = follow(limiter.wait("a", 9));
    const small = follow(limiter.wait("a", 1));
    expect([limiter.peek("a").allowed, limiter.allow("a"), handle.allow(), limiter.allow("a")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    clock.advance(9_000);
    await settled();
    expect([large.end, small.end]).toEqual(["allowed", "waits"]);
    clock.advance(1_000);
    await settled();
    expect(small.end).toBe("allowed");
  });
});

describe("while calls wait", () => {
  it("no verb overtakes them: allow, consume, allowMany, handles; others go on", async () => {
    const { clock, limiter } = limiterOf(TEN);
    const handle = limiter.handle("a");
    limiter.allow("a", 8);
    void limiter.wait("a", 10);
    const out = new Uint8Array(3);
    expect([limiter.allowMany(["a", "b", "a"], out), ...out]).toEqual([1, 0, 1, 0]);
    expect([limiter.allow("a"), handle.allow(), limiter.handle("a").allow(), limiter.byKey("a").allow()]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    const denied = limiter.consume("a", 2);
    expect(denied).toEqual(limiter.peek("a", 2));
    expect(denied).toMatchObject({ allowed: false, reason: "others-waiting", retryAfterMs: 10_000, remaining: 2 });
    expect(denied.allowed || denied.violated).toEqual([]);
    expect(limiter.explain("a")[0]?.used).toBe(8);
    expect(limiter.consume("a", 11)).toMatchObject({ reason: "cost-over-capacity" });
    clock.advance(8_000);
    await settled();
    expect([limiter.allow("a"), handle.allow()]).toEqual([false, false]);
    clock.advance(1_000);
    expect([handle.allow(), handle.allow()]).toEqual([true, false]);
  });

  it("a refund, a reset, a clear and the end of a block serve them at once", async () => {
    const { limiter } = limiterOf();
    const waitsAfter = async (act: (taken: Decision) => unknown) => {
      limiter.reset("a");
      const taken = limiter.consume("a");
      const wait = follow(limiter.wait("a"));
      await settled();
      const before = wait.end;
      act(taken);
      await settled();
      return [before, wait.end];
    };
    const served = ["waits", "allowed"];
    expect(await waitsAfter(() => limiter.refund("a", 1))).toEqual(served);
    expect(await waitsAfter((taken) => limiter.refund("a", 2, taken))).toEqual(served);
    expect(await waitsAfter(() => limiter.reset("a"))).toEqual(served);
    expect(await waitsAfter(() => limiter.handle("a").reset())).toEqual(served);
    expect(await waitsAfter(() => limiter.clear())).toEqual(served);
    limiter.clear();
    limiter.block("a", "1h");
    const blocked = follow(limiter.wait("a"));
    limiter.block("a", "2h");
    expect(limiter.consume("a")).toMatchObject({ reason: "blocked", retryAfterMs: 7_201_000 });
    limiter.unblock("a");
    await settled();
    expect(blocked.end).toBe("allowed");
  });

  it("a block holds up the call of a key that has units left", async () => {
    const clock = countingClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(2)], clock });
    limiter.allow("a");
    limiter.block("a", "5s");
    const blocked = follow(limiter.wait("a"));
    clock.advance(4_999);
    await settled();
    expect(blocked.end).toBe("waits");
    clock.advance(1);
    await settled();
    expect(blocked.end).toBe("allowed");
  });

  it("a block holds them up until it ends", async () => {
    const { clock, limiter } = limiterOf();
    limiter.allow("a");
    const wait = follow(limiter.wait("a"));
    limiter.block("a", "5s");
    clock.advance(4_999.999);
    await settled();
    expect(wait.end).toBe("waits");
    clock.advance(0.001);
    await settled();
    expect(wait.end).toBe("allowed");
  });

  it("no denial begins a block, theirs or of others", async () => {
    const { clock, limiter } = limiterOf([tokenBucket({ capacity: 1, refill: 1, per: "1s", blockFor: "1h" })]);
    limiter.allow("a");
    const wait = follow(limiter.wait("a"));
    expect([limiter.allow("a"), limiter.blockedUntil("a")]).toEqual([false, undefined]);
    clock.advance(1_000);
    await settled();
    expect([wait.end, limiter.blockedUntil("a")]).toEqual(["allowed", undefined]);
    expect([limiter.allow("a"), limiter.blockedUntil("a") === undefined]).toEqual([false, false]);
  });

  it("a bucket that starts empty, and blocks, begins to fill with their first call", async () => {
    const bucket = { capacity: 1, refill: 1, per: "1s", initial: "empty", blockFor: "1h" } as const;
    const { clock, limiter } = limiterOf([tokenBucket(bucket)]);
    const wait = follow(limiter.wait("a", 1, { maxWait: "1s" }));
    clock.advance(1_000);
    await settled();
    expect(wait.end).toBe("allowed");
  });

  it("limits that change hold for later calls; each waits under its own", async () => {
    const clock = countingClock(START_MS);
    let perMinuteLimit = 1;
    const limits = () => [fixedWindow({ limit: perMinuteLimit, window: "1m", anchor: "first-use", name: "plan" })];
    const limiter = createLimiter({ limits, clock });
    limiter.allow("a");
    const first = follow(limiter.wait("a"));
    perMinuteLimit = 5;
    const second = follow(limiter.wait("a"));
    clock.advance(60_000);
    await settled();
    expect([first.end, second.end]).toEqual(["allowed", "allowed"]);
  });
});

describe("calls that wait under other numbers of the same counts", () => {
  const few = fixedWindow({ name: "calls", limit: 2, window: "1m", anchor: "first-use" });
  const many = fixedWindow({ name: "calls", limit: 4, window: "1m", anchor: "first-use" });

  function withSixWaiting() {
    const clock = countingClock(START_MS);
    const limits = (plan: string) => [plan === "few" ? few : many];
    const limiter = createLimiter({ name: "api", key: () => "ann", limits, clock });
    limiter.allow("many", 4);
    for (let i = 0; i < 6; i += 1) void limiter.wait("many");
    return { clock, limiter };
  }

  it("are in the time that a denial tells", async () => {
    const { clock, limiter } = withSixWaiting();
    const told = limiter.consume("few");
    // Four are served after a minute, and two after the next, which fill the smaller limit.
    expect(told).toMatchObject({ reason: "others-waiting", retryAfterMs: 180_000 });
    for (let second = 0; second < 180; second += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(limiter.allow("few")).toBe(true);
  });

  it("are in the time for which a call would have to wait", async () => {
    const { limiter } = withSixWaiting();
    const late = follow(limiter.wait("few", 1, { maxWait: 179_999 }));
    await settled();
    expect(late).toEqual({ end: "others-waiting", retryAfterMs: 180_000 });
  });
});

describe("combined limiters", () => {
  function pair() {
    const clock = countingClock(START_MS);
    const shared = { clock, key: ([a]: [string, string]) => a };
    const one = createLimiter({ name: "one", limits: TEN, ...shared });
    const other = createLimiter({ name: "other", limits: ONE_A_SECOND, clock, key: ([, b]: [string, string]) => b });
    return { clock, one, other, both: combine(one, other) };
  }

  it("wait for all their limits, and hold up only the key that denies them", async () => {
    const { clock, one, other, both } = pair();
    other.allow(["a", "x"]);
    const wait = follow(both.wait(["a", "x"]));
    expect([other.allow(["z", "x"]), one.allow(["a", "z"]), both.allow(["a", "y"])]).toEqual([false, true, true]);
    expect(both.consume(["a", "x"])).toMatchObject({ reason: "others-waiting", retryAfterMs: 2_000 });
    clock.advance(1_000);
    await settled();
    expect([wait.end, one.peek(["a", "x"], 0).remaining]).toEqual(["allowed", 8]);
  });

  it("go from one line to the other in the order in which they came", async () => {
    const { clock, one, other, both } = pair();
    one.charge(["a", ""], 13);
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    void both.wait(["a", "x"], 1).then(note("first"));
    void both.wait(["a", "x"], 1).then(note("second"));
    void one.wait(["a", ""], 1).then(note("third"));
    void other.wait(["", "x"], 1).then(note("zero"));
    for (let second = 0; second < 8; second += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(order).toEqual(["zero", "first", "second", "third"]);
    expect(clock.timers).toBe(0);
  });
});

describe("observers", () => {
  it("are notified of a wait once, when it ends", async () => {
    const seen: Observation[] = [];
    const clock = countingClock(START_MS);
    const limiter = createLimiter({ limits: ONE_A_SECOND, clock, observe: (one) => seen.push(one) });
    await limiter.wait("a");
    void limiter.wait("a");
    await denialOf(limiter.wait("a", 1, { maxWait: 1_000 }));
    clock.advance(1_000);
    await settled();
    expect(seen.map((one) => one.type === "decision" && [one.verb, one.decision.allowed, one.keys[0]])).toEqual([
      ["wait", true, "a"],
      ["wait", false, "a"],
      ["wait", true, "a"],
    ]);
  });
});

describe("limiters with look-ups", () => {
  it("wait in the order in which keys are found, and a signal ends a look-up", async () => {
    const clock = countingClock(START_MS);
    const limiter = createLimiter({ key: async (input: { id: string }) => input.id, limits: ONE_A_SECOND, clock });
    const handle = limiter.handle({ id: "a" });
    const signal = AbortSignal.abort(new Error("gone"));
    const waits = [follow(limiter.byKey("a").wait()), follow(limiter.wait({ id: "a" })), follow(handle.wait())];
    const gone = [follow(limiter.wait({ id: "a" }, 1, { signal })), follow(handle.wait(1, { signal }))];
    await settled();
    expect([...waits, ...gone].map(({ end }) => end)).toEqual([
      "allowed",
      "waits",
      "waits",
      "Error: gone",
      "Error: gone",
    ]);
    clock.advance(2_000);
    await settled();
    expect(waits.map(({ end }) => end)).toEqual(["allowed", "allowed", "allowed"]);
  });
});

it("a wait in real time takes as long as it says", async () => {
  const limiter = createLimiter({ limits: [perSecond(50, { burst: 1 }), perMinute(100)] });
  const startMs = performance.now();
  await Promise.all(Array.from({ length: 5 }, () => limiter.wait("a")));
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(79.9);
});
