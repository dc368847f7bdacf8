import { createLimiter, type Limiter, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { EVERY_STORE } from "../every-store.ts";
import { settled } from "../line-clock.ts";

const WINDOW_MS = 100;
const LIMIT = 10;
const LIMITS = [slidingWindow({ limit: LIMIT, window: WINDOW_MS, resolution: 0 })];

/** The shortest time in which one call more than the limit began. */
function shortest(starts: readonly number[]): number {
  return Math.min(...starts.slice(LIMIT).map((start, i) => start - starts[i]!));
}

describe("work begins no closer together than its window", () => {
  it.each(["run", "wrap"] as const)("by %s, though each piece blocks the thread for a while", async (verb) => {
    const clock = manualClock(START_MS);
    const limiter: Limiter = createLimiter({ limits: LIMITS, clock });
    const starts: number[] = [];
    const work = () => {
      starts.push(clock.now());
      // Longer for the first pieces, so that later ones would catch up.
      clock.set(clock.now() + (starts.length <= LIMIT ? 9 : 0));
    };
    const wrapped = limiter.wrap(work, { input: "api" });
    limiter.allow("api", LIMIT);
    const all = Array.from({ length: 3 * LIMIT }, () => (verb === "run" ? limiter.run("api", work) : wrapped()));
    for (let ms = 0; ms < 10 * WINDOW_MS; ms += 1) {
      clock.advance(1);
      await settled();
    }
    await Promise.all(all);
    expect(shortest(starts)).toBeGreaterThanOrEqual(WINDOW_MS);
  });
});

describe.each(EVERY_STORE)("over %s", (_name, createStore) => {
  it("run and wrap begin before any other code runs, and wait resumes in the same turn of the event loop", async () => {
    const clock = manualClock(START_MS);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    const observe = () => {
      // The units are taken now.
      queueMicrotask(note("microtask"));
      setImmediate(note("turn"));
    };
    const limiter = createLimiter({ name: "api", limits: LIMITS, clock, store: createStore(), observe });
    const orderOf = async (call: () => Promise<unknown>) => {
      order.length = 0;
      await limiter.allow("api", LIMIT);
      await new Promise(setImmediate);
      order.length = 0;
      const done = call();
      for (let ms = 0; ms < 4 * WINDOW_MS && order.length === 0; ms += 10) {
        clock.advance(10);
        await new Promise(setImmediate);
      }
      await done;
      await new Promise(setImmediate);
      clock.advance(4 * WINDOW_MS);
      return [...order];
    };
    const first = ["work", "microtask", "turn"];
    expect(await orderOf(() => limiter.run("api", note("work")))).toEqual(first);
    expect(await orderOf(limiter.wrap(note("work"), { input: "api" }))).toEqual(first);
    expect(await orderOf(() => limiter.wait("api").then(note("work")))).toEqual(["microtask", "work", "turn"]);
  });
});
