import { concurrency, createLimiter, DeniedError, fixedWindow, memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { ReservationTrace } from "./reservation-traces.ts";
import { runs } from "./runs.ts";

const TRACES = runs(30);
const TURNS = 250;

describe.each([
  ["a memory store", () => memoryStore()],
  ["a table store", () => tableStore({ maxKeys: 1_000 })],
  ["a shared store", () => sharedStore({ maxKeys: 1_000 })],
])("reservations over %s", (_name, createStore) => {
  it("use what they count for and hold, after any charges, renewals, settlements and cancellations", () => {
    for (let seed = 0; seed < TRACES; seed += 1) new ReservationTrace(createStore(), seed).play(TURNS);
  });
});

it("reservations of plain numbers use what they count for", () => {
  const limiter = createLimiter({ limits: [fixedWindow({ limit: 100, window: "1d" })] });
  for (const [reserved, charged, actual] of [
    [5, 0, 3],
    [5, 2, 9],
    [0, 1, 0],
    [7, 0, 7],
  ] as const) {
    const before = limiter.explain("a")[0]!.used;
    const reservation = limiter.reserve("a", reserved);
    reservation.charge(charged);
    reservation.settle(actual);
    expect(limiter.explain("a")[0]!.used - before).toBe(actual);
  }
});

it("work that was denied is not done", async () => {
  const limiter = createLimiter({ limits: [fixedWindow({ limit: 2, window: "1d" })] });
  let done = 0;
  const work = limiter.wrap(() => (done += 1), { input: "a", maxWait: 0 });
  const ends = await Promise.allSettled(Array.from({ length: 5 }, work));
  expect(done).toBe(2);
  expect(ends.filter((end) => end.status === "rejected" && end.reason instanceof DeniedError).length).toBe(3);
});

it("more than 64 places expire late by at most a sixtieth of their ttl", () => {
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
