import { createLimiter, fixedWindow, type Limit, memoryStore, TollgateError, tokenBucket } from "tollgate";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { countingClock, denialOf, follow, settled } from "./line-clock.ts";

const ONE_A_SECOND = [tokenBucket({ capacity: 1, refill: 1, per: "1s" })];

function limiterOf(limits: readonly Limit[] = ONE_A_SECOND, maxWaiting = 1_000) {
  const clock = countingClock(START_MS);
  return { clock, limiter: createLimiter({ limits, clock, maxWaiting }) };
}

/** Two limiters that share their keys, and do not know of each other's lines. */
function rivals(limits: readonly Limit[]) {
  const clock = countingClock(START_MS);
  const options = { name: "same", limits, clock, store: memoryStore() };
  return { clock, limiter: createLimiter(options), rival: createLimiter(options) };
}

describe("a signal that aborts", () => {
  it("before the call or after its end changes nothing, and no listener stays", async () => {
    const { clock, limiter } = limiterOf();
    const controller = new AbortController();
    const { signal } = controller;
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await limiter.wait("a", 1, { signal });
    const wait = follow(limiter.wait("a", 1, { signal }));
    clock.advance(1_000);
    await settled();
    expect([wait.end, added.mock.calls.length, removed.mock.calls]).toEqual(["allowed", 2, added.mock.calls]);
    controller.abort("too late");
    expect(follow(limiter.wait("a", 1, { signal })).end).toBe("waits");
    await expect(limiter.wait("b", 1, { signal })).rejects.toBe("too late");
    expect([limiter.explain("a")[0]?.used, limiter.explain("b")[0]?.used]).toEqual([1, 0]);
  });
});

describe("a wait is denied at once", () => {
  it("if it cannot end within maxWait, with the true time", async () => {
    const { clock, limiter } = limiterOf();
    await limiter.wait("a");
    expect(await denialOf(limiter.wait("a", 1, { maxWait: 999 }))).toMatchObject({
      reason: "exhausted",
      retryAfterMs: 1_000,
    });
    expect(await denialOf(limiter.wait("a", 1, { maxWait: 0 }))).toMatchObject({
      reason: "exhausted",
      retryAfterMs: 1_000,
    });
    const first = follow(limiter.wait("a", 1, { maxWait: 1_000 }));
    const second = follow(limiter.wait("a", 1, { maxWait: "2s" }));
    expect(await denialOf(limiter.wait("a", 1, { maxWait: 2_999.999 }))).toMatchObject({
      reason: "others-waiting",
      retryAfterMs: 3_000,
    });
    clock.advance(1_000);
    await settled();
    expect([first.end, second.end]).toEqual(["allowed", "waits"]);
    clock.advance(1_000);
    await settled();
    expect(second.end).toBe("allowed");
  });

  it("if its cost can never pass, at the head and behind others", async () => {
    const { limiter } = limiterOf();
    expect(await denialOf(limiter.wait("a", 2))).toMatchObject({
      reason: "cost-over-capacity",
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
    limiter.allow("a");
    void limiter.wait("a");
    expect(await denialOf(limiter.wait("a", 2))).toMatchObject({
      reason: "cost-over-capacity",
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
  });

  it("if as many wait as may, in one line and in all", async () => {
    const { clock, limiter } = limiterOf(ONE_A_SECOND, 2);
    for (let key = 0; key < 11; key += 1) limiter.allow(`key-${key}`);
    const waits = [follow(limiter.wait("key-0")), follow(limiter.wait("key-0"))];
    expect(await denialOf(limiter.wait("key-0"))).toMatchObject({
      allowed: false,
      reason: "queue-full",
      retryAfterMs: 3_000,
    });
    for (let key = 1; key < 10; key += 1)
      waits.push(follow(limiter.wait(`key-${key}`)), follow(limiter.wait(`key-${key}`)));
    expect(await denialOf(limiter.wait("key-10"))).toMatchObject({
      allowed: false,
      reason: "queue-full",
      retryAfterMs: 1_000,
    });
    expect(await limiter.wait("key-11")).toMatchObject({ allowed: true });
    clock.advance(1_000);
    await settled();
    expect(waits.filter(({ end }) => end === "allowed").length).toBe(10);
    expect(await limiter.wait("key-10")).toMatchObject({ allowed: true });
  });

  it("if the limits function denies the call", async () => {
    const limiter = createLimiter({ limits: (key: string) => (key === "bad" ? "deny" : "unlimited") });
    expect(await denialOf(limiter.wait("bad"))).toMatchObject({ allowed: false, reason: "denied" });
    expect(await limiter.wait("good")).toMatchObject({ allowed: true });
  });
});

describe("a wait with a maxWait that began in time", () => {
  it("is denied as soon as its head's turn is told to be too late, because another limiter took first", async () => {
    const { clock, limiter, rival } = rivals(ONE_A_SECOND);
    limiter.allow("a");
    const short = follow(limiter.wait("a", 1, { maxWait: 1_500 }));
    const long = follow(limiter.wait("a", 1, { maxWait: 2_500 }));
    clock.advance(500);
    rival.charge("a", 1);
    clock.advance(500);
    await settled();
    expect([short.end, long.end]).toEqual(["others-waiting", "waits"]);
    clock.advance(1_000);
    await settled();
    expect(long.end).toBe("allowed");
  });

  it("lets a call behind it pass that was late only because of it", async () => {
    const { clock, limiter, rival } = rivals([fixedWindow({ limit: 10, window: "10s", anchor: "first-use" })]);
    limiter.allow("a", 5);
    const large = follow(limiter.wait("a", 10, { maxWait: "11s" }));
    const small = follow(limiter.wait("a", 5, { maxWait: "25s" }));
    clock.set(START_MS + 10_000 - 0.001);
    rival.reset("a");
    rival.allow("a", 5);
    clock.advance(1_000.001);
    await settled();
    expect([large.end, small.end]).toEqual(["others-waiting", "allowed"]);
  });
});

describe("close", () => {
  it("ends waits with an error, and later ones that would have to wait", async () => {
    const { clock, limiter } = limiterOf();
    limiter.allow("a");
    const waits = [limiter.wait("a"), limiter.wait("a")];
    limiter.close();
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: "ERR_CLOSED" });
    await expect(limiter.wait("a")).rejects.toBeInstanceOf(TollgateError);
    expect([(await limiter.wait("b")).allowed, clock.timers, limiter.allow("a")]).toEqual([true, 0, false]);
  });
});

describe("misuse", () => {
  it.each([
    [{ maxWait: -1 }, /^maxWait: expected milliseconds or text/],
    [{ maxWait: "soon" }, /^maxWait/],
    [{ signal: {} }, /^signal: expected an AbortSignal, got an object/],
    [{ timeout: 5 }, /^wait: unknown option "timeout"/],
    [5, /^wait: expected an object of options, got 5/],
  ])("%j rejects, and takes nothing", async (options, message) => {
    const { limiter } = limiterOf();
    await expect(limiter.wait("a", 1, options as never)).rejects.toThrow(message);
    await expect(limiter.wait("a", -1)).rejects.toMatchObject({ code: "ERR_COST" });
    await expect(limiter.wait({} as never)).rejects.toMatchObject({ code: "ERR_KEY" });
    expect(limiter.allow("a")).toBe(true);
  });

  it("a clock that fails ends the waits with its error", async () => {
    const clock = { ...countingClock(START_MS), ms: START_MS };
    const broken = { now: () => clock.ms, schedule: clock.schedule };
    const limiter = createLimiter({ limits: ONE_A_SECOND, clock: broken });
    limiter.allow("a");
    const wait = follow(limiter.wait("a"));
    clock.ms = Number.NaN;
    clock.advance(1_000);
    await settled();
    expect(wait.end).toMatch(/clock.now/);
  });
});
