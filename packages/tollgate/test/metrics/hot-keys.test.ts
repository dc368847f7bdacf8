import { type AsyncLimiter, combine, createLimiter, type Limiter, perMinute, perSecond } from "tollgate";
import { hotKeys } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { forgetWarnings } from "../../src/core/warnings.ts";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";
import { START_MS } from "../start-ms.ts";
import { ALL, exactly, setUp } from "./hot-keys/set-up.ts";

async function callTimes(limiter: Limiter | AsyncLimiter, key: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await limiter.allow(key);
}

describe("hot keys", () => {
  it.each(EVERY_STORE)("are the most active and the most denied keys, over %s", async (_name, store) => {
    const limiter = limiterOver(store(), { name: "api", limits: [perMinute(3)], clock: manualClock(START_MS) });
    const hot = hotKeys(limiter, ALL);
    await callTimes(limiter, "often", 7);
    await callTimes(limiter, "seldom", 2);
    for (let i = 0; i < 4; i += 1) await limiter.consume("between");
    expect(hot.active()).toEqual([exactly("often", 7), exactly("between", 4), exactly("seldom", 2)]);
    expect(hot.denied()).toEqual([exactly("often", 4), exactly("between", 1)]);
  });

  it("see the calls of every verb that decides, and no other", async () => {
    const { limiter } = setUp();
    const hot = hotKeys(limiter, ALL);
    const handle = limiter.handle("handle");
    limiter.allow("allow");
    limiter.allow("units", { requests: 1 });
    limiter.consume("consume");
    limiter.allowMany(["many", "many"], new Uint8Array(2));
    limiter.reserve("reserve").settle(1);
    await limiter.wait("wait");
    handle.allow();
    handle.consume();
    limiter.byKey("by-key").allow();
    expect(Object.fromEntries(hot.active().map(({ key, count }) => [key, count]))).toEqual({
      allow: 1,
      units: 1,
      consume: 1,
      many: 2,
      reserve: 1,
      wait: 1,
      handle: 2,
      "by-key": 1,
    });
    const decision = limiter.peek("other");
    limiter.explain("other");
    limiter.charge("other", 1, decision);
    limiter.refund("other", 1);
    limiter.reset("other");
    limiter.block("other", "1m");
    expect(hot.active().map(({ key }) => key)).not.toContain("other");
  });

  it("count for half after each half-life", async () => {
    const { limiter, clock } = setUp();
    const hot = hotKeys(limiter, { sample: 1, halfLife: "1m" });
    await callTimes(limiter, "before", 80);
    clock.advance(60_000);
    await callTimes(limiter, "after", 50);
    expect(hot.active()).toEqual([exactly("after", 50), exactly("before", 40)]);
    clock.advance(120_000);
    expect(hot.active()).toEqual([exactly("after", 13), exactly("before", 10)]);
    clock.advance(600_000);
    expect(hot.active()).toEqual([]);
  });

  it("age the same over any time, and stay right for years", async () => {
    const { limiter, clock } = setUp();
    const hot = hotKeys(limiter, { sample: 1, halfLife: "1s" });
    for (let i = 0; i < 200; i += 1) {
      clock.advance(1_000);
      await callTimes(limiter, "steady", 64);
    }
    expect(hot.active()).toEqual([exactly("steady", 128)]);
    clock.advance(10 * 365 * 86_400_000);
    await callTimes(limiter, "new", 3);
    expect(hot.active()).toEqual([exactly("new", 3)]);
  });

  it("are masked before they are kept, and count as one if they are masked alike", () => {
    const { limiter } = setUp();
    const hot = hotKeys(limiter, { sample: 1, mask: (key) => key.replace(/\.\d+$/, ".*") });
    for (const key of ["192.0.2.1", "192.0.2.2", "198.51.100.7"]) limiter.allow(key);
    expect(hot.active()).toEqual([exactly("192.0.2.*", 2), exactly("198.51.100.*", 1)]);
  });

  it("cut long keys, and still tell them apart", () => {
    const { limiter } = setUp();
    const hot = hotKeys(limiter, ALL);
    const long = "x".repeat(10_000);
    limiter.allow(`${long}a`, 1);
    for (const key of [`${long}b`, `${long}b`, "y".repeat(128)]) limiter.allow(key);
    const keys = hot.active().map(({ key, count }) => [key.slice(0, 100), key.length, count]);
    expect(keys).toEqual([
      ["x".repeat(100), 117, 2],
      ["x".repeat(100), 117, 1],
      ["y".repeat(100), 128, 1],
    ]);
  });

  it("of a limiter see the calls of combinations; those of a combination are its keys together", () => {
    const clock = manualClock(START_MS);
    type Call = { readonly user: string; readonly route: string };
    const user = createLimiter({ name: "user", key: (call: Call) => call.user, limits: [perSecond(9)], clock });
    const route = createLimiter({ name: "route", key: (call: Call) => call.route, limits: [perSecond(1)], clock });
    const ofRoute = hotKeys(route, ALL);
    const both = combine(user, route);
    const [ofUser, ofBoth] = [hotKeys(user, ALL), hotKeys(both, ALL)];
    const nested = combine(
      both,
      createLimiter({ name: "all", key: (call: Call) => `to ${call.route}`, limits: [perSecond(9)], clock }),
    );
    both.allow({ user: "ann", route: "/a" });
    nested.consume({ user: "ann", route: "/a" });
    user.allow({ user: "bob", route: "/a" });
    expect(ofUser.active()).toEqual([exactly("ann", 2), exactly("bob", 1)]);
    expect(ofRoute.active()).toEqual([exactly("/a", 2)]);
    expect(ofRoute.denied()).toEqual([exactly("/a", 1)]);
    expect(ofBoth.active()).toEqual([exactly('["ann","/a"]', 2)]);
  });

  it("are found for limiters that choose limits, or look keys up", async () => {
    const clock = manualClock(START_MS);
    const chosen = createLimiter({ limits: (key: string) => [perSecond(key === "vip" ? 9 : 1)], clock });
    const looked = createLimiter({ key: async (id: number) => `user-${id}`, limits: [perSecond(1)], clock });
    const [ofChosen, ofLooked] = [hotKeys(chosen, ALL), hotKeys(looked, ALL)];
    for (const key of ["vip", "vip", "vip", "ann", "ann"]) chosen.allow(key);
    for (const id of [7, 7]) await looked.allow(id);
    expect(ofChosen.denied()).toEqual([exactly("ann", 1)]);
    expect(ofChosen.active()).toEqual([exactly("vip", 3), exactly("ann", 2)]);
    expect(ofLooked.denied()).toEqual([exactly("user-7", 1)]);
  });

  it("stop to be counted when they are closed, and two of a limiter are independent", () => {
    const { limiter } = setUp();
    const [first, second] = [hotKeys(limiter, ALL), hotKeys(limiter, ALL)];
    limiter.allow("a");
    first.close();
    limiter.allow("a");
    expect([first.active(), second.active()]).toEqual([[exactly("a", 1)], [exactly("a", 2)]]);
    {
      using hot = second;
      expect(hot).toBe(second);
    }
    limiter.allow("a");
    expect(second.active()).toEqual([exactly("a", 2)]);
  });

  it.each([
    ["throws", () => JSON.parse("{")],
    ["returns no text", () => undefined as never],
  ])("fail no call if the mask %s", (_case, mask) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    forgetWarnings();
    const { limiter } = setUp();
    const hot = hotKeys(limiter, { sample: 1, mask });
    expect([limiter.allow("a"), limiter.consume("a").allowed]).toEqual([true, true]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(hot.active()).toEqual([]);
    forgetWarnings();
  });

  it.each([
    [{ top: 0 }, "top: expected a whole number from 1 to 1000, got 0"],
    [{ sample: 1.5 }, "sample: expected a whole number from 1 to 10000, got 1.5"],
    [{ halfLife: 10 }, /^halfLife: expected whole milliseconds or text .* from 1s to 1d, got 10$/],
    [{ mask: "x" as never }, 'mask: expected a function from a key to a text, got "x"'],
    [{ tops: 1 } as never, 'hotKeys: unknown option "tops"; did you mean "top"?'],
  ])("refuse options that do not fit: %j", (options, message) => {
    expect(() => hotKeys(setUp().limiter, options)).toThrow(message);
  });

  it("refuse what is no limiter", () => {
    expect(() => hotKeys({} as never)).toThrow("hotKeys: expected a limiter made by createLimiter or combine");
  });
});
