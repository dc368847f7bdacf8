import { concurrency, createLimiter, memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { PlaceTrace } from "./place-traces.ts";

const TRACES = 60;
const TURNS = 300;

describe.each([
  ["a memory store", () => memoryStore()],
  ["a table store", () => tableStore({ maxKeys: 1_000 })],
  ["a shared store", () => sharedStore({ maxKeys: 1_000 })],
])("places over %s", (_name, createStore) => {
  it("are those that are held, after any reservations, renewals and ends", () => {
    for (let seed = 0; seed < TRACES; seed += 1) new PlaceTrace(createStore(), seed).play(TURNS);
  });
});

describe("more than 64 places", () => {
  it("expire late by at most a sixtieth of their ttl", () => {
    const clock = manualClock(1_790_000_000_000.5);
    const limiter = createLimiter({ limits: [concurrency({ max: 500, ttl: "1m" })], clock });
    for (let i = 0; i < 500; i += 1) {
      expect(limiter.reserve("a").decision.allowed).toBe(true);
      clock.advance(90);
    }
    expect(limiter.reserve("a").decision.allowed).toBe(false);
    clock.advance(60_000 - 500 * 90 + 1_000);
    // The first of them were taken within a second: now others have their places.
    let again = 0;
    while (limiter.reserve("a").decision.allowed) again += 1;
    expect(again).toBeGreaterThanOrEqual(1);
    clock.advance(60_000);
    expect(limiter.explain("a")[0]!.used).toBe(again);
    clock.advance(1_000);
    expect(limiter.explain("a")[0]!.used).toBe(0);
  });
});
