import { createLimiter, type Limiter, memoryStore, perDay, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

/** More limits than a limiter keeps spaces for without looking for idle ones. */
const MANY = 1_100;

describe("limits chosen per call", () => {
  it("admit no more when other limits of the same list make the limiter release spaces", () => {
    const clock = manualClock(START_MS);
    let list = [perDay(1)];
    const limiter = createLimiter({ limits: () => list, clock });
    for (let i = 0; i < MANY; i += 1) {
      list = [perDay(1, { name: `other-${i}` })];
      limiter.peek("another");
      list = [perDay(1, { name: `watched-${i}` }), perDay(1_000, { name: `wide-${i}` })];
      expect([limiter.allow("a"), limiter.allow("a")]).toEqual([true, false]);
    }
  });

  it("keep memory in proportion to the keys in use, however many limits there are", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      key: () => "a",
      limits: (user: number) => [perSecond(1, { name: `user-${user}` })],
      clock,
    });
    let most = 0;
    for (let user = 0; user < 5_000; user += 1) {
      clock.advance(1_000);
      limiter.allow(user);
      if (user % 100 === 0) most = Math.max(most, limiter.size);
    }
    // One key is in use at any time, and about every thirteenth call takes a sweep step.
    expect(most).toBeLessThan(300);
  });

  it("come from a function that may call the limiter itself", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      limits: (key: string) => {
        if (key === "outer") limiter.allow("inner");
        return [perSecond(2)];
      },
      clock,
    });
    expect([limiter.allow("outer"), limiter.allow("outer"), limiter.allow("outer")]).toEqual([true, true, false]);
    expect(limiter.allow("inner")).toBe(false);
  });

  it("count the key whose call releases idle spaces", () => {
    const limiter = createLimiter({
      key: () => "a",
      limits: (n: number) => [perSecond(1, { name: `limit-${n}` })],
      clock: manualClock(START_MS),
    });
    for (let i = 0; i < MANY - 100; i += 1) limiter.allow(i);
    limiter.clear();
    for (let i = MANY - 100; i < MANY; i += 1) {
      limiter.allow(i);
      expect(limiter.size).toBe(1);
      limiter.clear();
      expect(limiter.size).toBe(0);
    }
  });

  it("count one key for a limit in both modes", () => {
    const clock = manualClock(START_MS);
    let mode: "enforce" | "shadow" = "enforce";
    const limiter = createLimiter({ limits: () => [perSecond(5, { mode })], clock });
    limiter.allow("a");
    mode = "shadow";
    limiter.allow("a");
    expect(limiter.size).toBe(1);
    clock.advance(1_000);
    expect(limiter.sweep()).toBe(1);
  });

  it("are reset by any limiter of the same name over the same store", async () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const make = () => createLimiter({ name: "api", limits: () => [perDay(1)], clock, store });
    const [one, other] = [make(), make()];
    one.allow("a");
    other.reset("a");
    expect(one.allow("a")).toBe(true);

    const twin = new AsyncTwin();
    const remote = () => createLimiter({ name: "api", limits: () => [perDay(1)], clock, store: twin });
    await remote().allow("a");
    await remote().reset("a");
    expect(await remote().allow("a")).toBe(true);
  });

  it("over an asynchronous store decide alike after spaces were released", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      name: "api",
      limits: (key: string) => [perDay(1, { name: key })],
      clock,
      store: new AsyncTwin(),
    });
    for (let i = 0; i < MANY; i += 1) expect(await limiter.allow(`limit-${i}`)).toBe(true);
    for (let i = 0; i < MANY; i += 1) expect(await limiter.allow(`limit-${i}`)).toBe(false);
  });

  it.each<[string, (limiter: Limiter<number>, user: number) => void]>([
    [
      "come with a bad cost",
      (limiter, user) => expect(() => limiter.allow(user, -1)).toThrow("expected a whole number"),
    ],
    ["are only peeked at", (limiter, user) => void limiter.peek(user)],
  ])("keep no memory for limits that %s", (_what, call) => {
    const limiter = createLimiter({
      key: () => "a",
      limits: (user: number) => [perSecond(1, { name: `user-${user}` })],
      clock: manualClock(START_MS),
    });
    const before = heapUsed();
    for (let user = 0; user < 6_000; user += 1) call(limiter, user);
    // One or two thousand spaces may stay open, of some 5 kB each. All of them would take 30 MB.
    expect(heapUsed() - before).toBeLessThan(10e6);
    expect(limiter.size).toBe(0);
  });
});

function heapUsed(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  return process.memoryUsage().heapUsed;
}
