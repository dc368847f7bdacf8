import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { coarseClock, createLimiter, perSecond, systemClock } from "tollgate";
import { clientIp, rateLimit } from "tollgate/express";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { blocksOf } from "./code-blocks.ts";
import { Examples, hasName, isTest } from "./examples.ts";

// Tests import the examples that have names.
const examples = new Examples((block) => isTest(block) || hasName(block));
const tests = examples.list.filter(isTest);
examples.write();
afterAll(() => examples.remove());
afterEach(() => void vi.useRealTimers());

describe("examples that are tests", () => {
  it("are found in docs/testing.md, and none of them prints", () => {
    const blocks = blocksOf("docs/testing.md").filter(isTest);
    expect(blocks.length).toBeGreaterThan(1);
    expect(tests.filter(({ code }) => code.includes("console.log"))).toEqual([]);
  });
});

// Importing such an example registers its tests here.
for (const { place, file } of tests) {
  describe(`the example of ${place}`, async () => {
    await import(file);
  });
}

it("an application counts the requests of all servers that supertest starts, one for each request", async () => {
  const limiter = createLimiter({ key: clientIp(), limits: [perSecond(1)], clock: manualClock() });
  const app = express().use(rateLimit({ limiter }), (_request, response) => void response.send("hello"));
  const statuses: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    const server = createServer(app).listen(0);
    await once(server, "listening");
    statuses.push((await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).status);
    server.close();
    server.closeAllConnections();
  }
  expect(statuses).toEqual([200, 429]);
});

/** The real time that passes between two readings. */
const SLACK_MS = 1_000;
const MINUTE_MS = 60_000;

/** How far a call moves the limiter's clock. */
function movedBy(move: () => void): number {
  const beforeMs = systemClock.now();
  move();
  return systemClock.now() - beforeMs;
}

/** The rows of the table of docs/testing.md about fake timers that are on. */
const MOVING: Readonly<Record<string, () => unknown>> = {
  advanceTimersByTime: () => vi.advanceTimersByTime(MINUTE_MS),
  runAllTimers: () => {
    setTimeout(() => {}, MINUTE_MS);
    vi.runAllTimers();
  },
  advanceTimersToNextTimer: () => {
    setTimeout(() => {}, MINUTE_MS);
    vi.advanceTimersToNextTimer();
  },
};

/** The rows about what does not move the clock. */
const NOT_MOVING: Readonly<Record<string, () => unknown>> = {
  "setSystemTime under fake timers": () => vi.setSystemTime(Date.now() + MINUTE_MS),
  "a spy on Date.now": () => vi.spyOn(Date, "now").mockReturnValue(0),
};

/** Fake timers that do not reach the clock. */
const PARTIAL: readonly ("Date" | "performance" | "setTimeout")[][] = [["Date"], ["performance"], ["setTimeout"]];

describe("fake timers", () => {
  it.each(Object.entries(MOVING))("move the clock: %s", (_name, move) => {
    vi.useFakeTimers();
    expect(movedBy(move)).toBe(MINUTE_MS);
  });

  it("move the clock: advanceTimersByTimeAsync", async () => {
    vi.useFakeTimers();
    const beforeMs = systemClock.now();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(systemClock.now() - beforeMs).toBe(MINUTE_MS);
  });

  it.each(Object.entries(NOT_MOVING))("do not move the clock: %s", (_name, move) => {
    vi.useFakeTimers();
    expect(movedBy(move)).toBe(0);
    vi.restoreAllMocks();
  });

  it("do not move the clock: setSystemTime under real timers, useFakeTimers with a time", () => {
    expect(movedBy(() => vi.setSystemTime("2040-01-01"))).toBeLessThan(SLACK_MS);
    vi.useRealTimers();
    vi.useFakeTimers({ now: new Date("2040-01-01") });
    expect(new Date(systemClock.now()).getUTCFullYear()).toBeLessThan(2040);
  });

  it.each(PARTIAL)("do not move the clock if they fake only %s", (what) => {
    vi.useFakeTimers({ toFake: [what] });
    expect(movedBy(() => vi.advanceTimersByTime(MINUTE_MS))).toBeLessThan(SLACK_MS);
  });

  it("take the clock back to the start of the process", () => {
    const uptimeMs = performance.now();
    expect(uptimeMs).toBeGreaterThan(0);
    const backMs = -movedBy(() => void vi.useFakeTimers());
    expect(Math.abs(backMs - uptimeMs)).toBeLessThan(SLACK_MS);
  });

  it("move a shared store's clock, within a millisecond", () => {
    const store = sharedStore({ maxKeys: 100 });
    vi.useFakeTimers();
    const limiter = createLimiter({ name: "shared", limits: [perSecond(1)], store });
    expect([limiter.allow("a"), limiter.allow("a")]).toEqual([true, false]);
    vi.advanceTimersByTime(1_001);
    expect(limiter.allow("a")).toBe(true);
  });

  it("do not move a coarse clock that was read before, for 15 calls", () => {
    const clock = coarseClock();
    clock.now();
    vi.useFakeTimers();
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    limiter.allow("a");
    vi.advanceTimersByTime(1_000);
    expect(limiter.allow("a")).toBe(false);
  });
});
