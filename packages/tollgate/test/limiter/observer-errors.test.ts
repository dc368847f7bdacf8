import {
  type AsyncLimiter,
  combine,
  createLimiter,
  type Limiter,
  memoryStore,
  type Observer,
  perSecond,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { forgetWarnings } from "../../src/core/warnings.ts";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  forgetWarnings();
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(forgetWarnings);

const full: Observer = () => {
  throw new RangeError("metrics are full");
};
const MESSAGE =
  'tollgate: observe: expected a function that does not throw, got RangeError: "metrics are full"; no call failed ' +
  "(observer-error)";

const STORES = [
  ["synchronous", () => memoryStore()],
  ["asynchronous", () => new AsyncTwin()],
] as const;

function over(store: ReturnType<(typeof STORES)[number][1]>, observe: Observer): Limiter | AsyncLimiter {
  const options = { limits: [perSecond(9)], clock: manualClock(START_MS), observe };
  return store.kind === "sync" ? createLimiter({ ...options, store }) : createLimiter({ ...options, store });
}

describe("an observer that throws", () => {
  it.each(STORES)("fails no verb over a store that is %s: every unit stays taken", async (_kind, store) => {
    const limiter = over(store(), full);
    const handle = limiter.handle("a");
    expect(await limiter.allow("a")).toBe(true);
    expect(await limiter.allowMany(["a", "a"], new Uint8Array(2))).toBe(2);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 5 });
    expect(await limiter.charge("a", 1)).toMatchObject({ allowed: true, remaining: 4 });
    expect(await handle.allow()).toBe(true);
    expect(await handle.consume(4)).toMatchObject({ allowed: false });
    expect((await limiter.explain("a"))[0]?.used).toBe(6);
  });

  it("is reported once on stderr", () => {
    const limiter = over(memoryStore(), full);
    for (let i = 0; i < 3; i += 1) void limiter.allow("a");
    expect(warn.mock.calls).toEqual([[MESSAGE]]);
  });

  it("fails no call over a store that is unavailable", async () => {
    const store = new AsyncTwin();
    store.outage = { cause: "timeout", policy: "allow" };
    expect(await over(store, full).consume("a")).toMatchObject({ allowed: true, degraded: "timeout" });
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("keeps no other observer of a combination from its notification", () => {
    const clock = manualClock(START_MS);
    const seen: string[] = [];
    const first = createLimiter({ name: "first", limits: [perSecond(1)], clock, observe: full });
    const second = createLimiter({
      name: "second",
      limits: [perSecond(1)],
      clock,
      observe: ({ type }) => void seen.push(type),
    });
    expect(combine(first, second).allow("a")).toBe(true);
    expect(seen).toEqual(["decision"]);
  });

  it("may be an async function: its rejection does not end the process", async () => {
    const observe: () => unknown = async () => full(undefined as never);
    const limiter = over(memoryStore(), observe);
    expect(limiter.allow("a")).toBe(true);
    await vi.waitFor(() => expect(warn.mock.calls).toEqual([[MESSAGE]]));
  });

  it.each([
    [undefined, "undefined"],
    ["full", '"full"'],
    [Object.create(null), "an object"],
    [new Error("x".repeat(1_000)), expect.stringMatching(/^Error: "x{79}…$/)],
  ])("may throw anything: case %#", (thrown, shown) => {
    const limiter = over(memoryStore(), () => {
      throw thrown;
    });
    expect(limiter.allow("a")).toBe(true);
    const [[message]] = warn.mock.calls as [[string]];
    expect(/got (.+); no call failed/.exec(message)?.[1]).toEqual(shown);
  });
});
