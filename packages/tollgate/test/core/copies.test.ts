import type * as library from "tollgate";
import {
  combine,
  createLimiter,
  type Limit,
  type Limiter,
  memoryStore,
  perMinute,
  perSecond,
  TollgateError,
} from "tollgate";
import type * as adapter from "tollgate/fetch";
import { decisionOf, rateLimit } from "tollgate/fetch";
import { hotKeys } from "tollgate/metrics";
import { tableStore } from "tollgate/table";
import { beforeAll, describe, expect, it, vi } from "vitest";

/** A program that uses `import` and `require` loads two copies of the library. */
let other: typeof library;
let otherFetch: typeof adapter;
beforeAll(async () => {
  vi.resetModules();
  other = await import("tollgate");
  otherFetch = await import("tollgate/fetch");
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("two copies of the library in one program", () => {
  it("are two copies", () => {
    expect(other.createLimiter).not.toBe(createLimiter);
    expect(otherFetch.decisionOf).not.toBe(decisionOf);
  });

  it("know each other's errors", () => {
    const here = thrownBy(() => perMinute(-1));
    const there = thrownBy(() => other.perMinute(-1));
    for (const error of [here, there]) {
      expect(error instanceof TollgateError).toBe(true);
      expect(error instanceof other.TollgateError).toBe(true);
    }
  });

  it("take no other value for an error of theirs", () => {
    const others = [new Error("a"), { name: "TollgateError", code: "ERR_KEY" }, "ERR_KEY", null, undefined, Object];
    expect(others.filter((value) => value instanceof TollgateError)).toEqual([]);
  });

  it("take errors for instances of a subclass only if it made them", () => {
    class Own extends TollgateError {}
    expect(new Own("ERR_KEY", "a") instanceof Own).toBe(true);
    expect(new Own("ERR_KEY", "a") instanceof other.TollgateError).toBe(true);
    expect(new TollgateError("ERR_KEY", "a") instanceof Own).toBe(false);
    expect(thrownBy(() => other.perMinute(-1)) instanceof Own).toBe(false);
  });

  it("accept each other's limits", () => {
    const limits: readonly Limit[] = [
      other.perMinute(2),
      other.tokenBucket({ capacity: 5, refill: 1, per: "1m", name: "bucket" }),
      other.slidingWindow({ limit: 5, window: "1m", name: "sliding" }),
      other.fixedWindow({ limit: 5, window: "1m", name: "fixed" }),
    ];
    const limiter = createLimiter({ limits });
    expect([limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann")]).toEqual([true, true, false]);
    const copied = { ...other.perMinute(2) };
    expect(thrownBy(() => createLimiter({ limits: [copied] }))).toMatchObject({ code: "ERR_LIMITS" });
  });

  it.each([
    ["memoryStore", () => memoryStore()],
    ["tableStore", () => tableStore({ maxKeys: 100 })],
  ])("accept each other's stores: %s", (_name, make) => {
    const limiter = other.createLimiter({ limits: [other.perMinute(2), perSecond(5)], store: make() });
    expect(limiter.consume("ann", 2).allowed).toBe(true);
    expect(limiter.peek("ann").allowed).toBe(false);
    limiter.refund("ann", 1);
    expect([limiter.allow("ann"), limiter.allow("ann")]).toEqual([true, false]);
  });

  it("combine each other's limiters, all or nothing", () => {
    const here: Limiter = createLimiter({ name: "here", limits: [perMinute(2)] });
    const there: Limiter = other.createLimiter({ name: "there", limits: [other.perMinute(1)] });
    const both = combine(here, there);
    expect([both.allow("ann"), both.allow("ann")]).toEqual([true, false]);
    expect([here.allow("ann"), here.allow("ann")]).toEqual([true, false]);
    expect(other.combine(both, other.createLimiter({ limits: [perMinute(5)] })).consume("bob").remaining).toBe(0);
    const mine = createLimiter({ limits: [perMinute(1)], clock: { now: () => 0 } });
    expect(thrownBy(() => combine(mine, there))).toMatchObject({ code: "ERR_COMBINE" });
  });

  it("observe each other's limiters, and count their hot keys", () => {
    const there: Limiter = other.createLimiter({ name: "there", limits: [other.perMinute(1)] });
    const both = combine(createLimiter({ name: "here", limits: [perMinute(2)] }), there);
    const seen: string[] = [];
    const remove = there.observe((one) => void (one.type === "decision" && seen.push(...one.keys)));
    both.allow("ann");
    remove();
    const hot = hotKeys(there, { sample: 1 });
    both.allow("bob");
    expect([seen, hot.active()]).toEqual([["ann", "ann"], [{ key: "bob", count: 1, error: 0 }]]);
  });

  it("combine each other's limiters that look their keys up", async () => {
    const key = async (name: string) => name;
    const here = createLimiter({ name: "here", key, limits: [perMinute(2)] });
    const there = other.createLimiter({ name: "there", key, limits: [other.perMinute(1)] });
    const both = combine(here, there);
    expect([await both.allow("ann"), await both.allow("ann")]).toEqual([true, false]);
    expect([await here.allow("ann"), await here.allow("ann")]).toEqual([true, false]);
  });

  it("find each other's decisions on a request", async () => {
    const limiter = createLimiter({ key: () => "everybody", limits: [perMinute(3)] });
    const handle = rateLimit({ limiter })((request) => new Response(`${otherFetch.decisionOf(request)?.remaining}`));
    expect(await (await handle(new Request("https://example.com/"))).text()).toBe("2");
  });
});
