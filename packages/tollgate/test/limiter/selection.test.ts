import { createLimiter, type Limiter, memoryStore, perDay, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";
import { START_MS } from "./set-up.ts";

/** More limits than a limiter keeps spaces for without looking for idle ones. */
const MANY = 1_100;

describe("limits chosen per call", () => {
  it("admit no more when other limits of the same list push spaces out", () => {
    const clock = manualClock(START_MS);
    let list = [perDay(1)];
    const limiter = createLimiter({ limits: () => list, clock });
    for (let i = 0; i < MANY; i += 1) {
      list = [perDay(1, { name: `other-${i}` })];
      limiter.peek("somebody");
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
    for (let user = 0; user < 20_000; user += 1) {
      clock.advance(1_000);
      limiter.allow(user);
      if (user % 100 === 0) most = Math.max(most, limiter.size);
    }
    // One key is in use at any time; a step comes every thirteen calls or so.
    expect(most).toBeLessThan(300);
  });

  it("are asked for the key function once per call, and may ask the limiter themselves", () => {
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

  it("have the key counted whose call has idle spaces let go", () => {
    const limiter = createLimiter({
      key: () => "a",
      limits: (n: number) => [perSecond(1, { name: `limit-${n}` })],
      clock: manualClock(START_MS),
    });
    for (let i = 0; i < MANY; i += 1) {
      limiter.allow(i);
      expect(limiter.size).toBe(1);
      limiter.clear();
      expect(limiter.size).toBe(0);
    }
  });

  it("a limit in both modes is one key", () => {
    const clock = manualClock(START_MS);
    const swept: unknown[] = [];
    let mode: "enforce" | "shadow" = "enforce";
    const limiter = createLimiter({
      limits: () => [perSecond(5, { mode })],
      clock,
      observe: (one) => void (one.type === "sweep" && swept.push(one)),
    });
    limiter.allow("a");
    mode = "shadow";
    limiter.allow("a");
    expect(limiter.size).toBe(1);
    clock.advance(1_000);
    expect(limiter.sweep()).toBe(1);
    expect(swept).toHaveLength(1);
  });

  it("reset reaches the limits that apply now, whoever opened them", async () => {
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

  it("over an asynchronous store are decided alike after spaces were let go", async () => {
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
    ["are only reset", (limiter, user) => limiter.reset(user)],
    ["are only looked at", (limiter, user) => void limiter.peek(user)],
  ])("that %s leave nothing behind", (_what, call) => {
    const limiter = createLimiter({
      key: () => "a",
      limits: (user: number) => [perSecond(1, { name: `user-${user}` })],
      clock: manualClock(START_MS),
    });
    const before = heapUsed();
    for (let user = 0; user < 20_000; user += 1) call(limiter, user);
    // A thousand spaces or two may stay open.
    expect(heapUsed() - before).toBeLessThan(8e6);
    expect(limiter.size).toBe(0);
  });
});

function heapUsed(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  return process.memoryUsage().heapUsed;
}
