import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLimiter, tokenBucket } from "tollgate";
import { parseLimits } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { remove, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { RATES, type Rate } from "../../src/replay/rates.ts";
import { type ReplayOptions, type ReplayResult, replay } from "../../src/replay/replay.ts";
import {
  CRAWLER,
  combinedLog,
  GUESSES,
  generatedDay,
  jsonLog,
  MIDNIGHT_US,
  MOST_FILES,
  RETRIES,
  STORM,
  STUFFING,
} from "./generated-day.ts";

const PEOPLE = 11_989;
const CLIENTS = PEOPLE + 2 + STORM.length + STUFFING.length;
const DAY = generatedDay(38, PEOPLE);
const ATTACKERS = new Set([CRAWLER, ...STORM, ...STUFFING]);
const SHARE = { text: "99.9", parts: 100_000 };

let folder: string;
let exact: ReplayResult;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "seconds.log"), combinedLog(DAY));
  writeFileSync(join(folder, "exact.log"), jsonLog(DAY));
  exact = await replayed("exact.log");
});
afterAll(() => remove(folder));

function replayed(file: string, options: Partial<ReplayOptions> = {}): Promise<ReplayResult> {
  return replay({
    files: [join(folder, file)],
    key: "address",
    maxClients: 100_000,
    limits: undefined,
    share: SHARE,
    isFitted: true,
    onProgress: () => {},
    onHead: () => {},
    ...options,
  });
}

/** The clients that a bucket denies something, by the real limiter on every client's trace. */
function deniedClients({ refill, per }: Rate, capacity: number): Set<string> {
  const clock = manualClock(MIDNIGHT_US / 1_000);
  const limiter = createLimiter({ limits: [tokenBucket({ capacity, refill, per })], clock });
  const denied = new Set<string>();
  for (const { atUs, client } of DAY) {
    clock.set((MIDNIGHT_US + atUs) / 1_000);
    if (!limiter.allow(client)) denied.add(client);
  }
  return denied;
}

/** The least capacity at a rate that denies something to one client in a thousand at most, from one that is near. */
function leastByForce(rate: Rate, near: number): { capacity: number; share: number } {
  const shareOf = (capacity: number) => deniedClients(rate, capacity).size / CLIENTS;
  let capacity = near;
  while (shareOf(capacity) > 0.001) capacity += 1;
  while (capacity > 1 && shareOf(capacity - 1) <= 0.001) capacity -= 1;
  return { capacity, share: shareOf(capacity) };
}

/** Requests one after another, evenly. */
function steady(count: number, gapSeconds: number, perSecond: number): number {
  return Math.max(1, count - perSecond * gapSeconds * (count - 1));
}

describe("a generated day", () => {
  it("needs at each rate what its clients were made to need", async () => {
    const { fit, requests, clients, unreadable } = exact;
    expect([requests, clients, unreadable]).toEqual([DAY.length, CLIENTS, 0]);
    const grid = fit?.grid() ?? expect.fail();
    RATES.forEach(({ refill, perMs }, rate) => {
      const perSecond = (refill / perMs) * 1_000;
      const needs = [
        ...STUFFING.map(() => steady(GUESSES, 0.1, perSecond)),
        ...STORM.map(() => steady(RETRIES, 0.25, perSecond)),
        steady(43_200, 2, perSecond),
        // Faster than that, each load of the office and of a person finds a full bucket.
        ...(perSecond * 30 >= 8 ? [8] : []),
      ];
      if (perSecond * 60 < MOST_FILES) return;
      grid.capacities.forEach((capacity, column) => {
        const denied = needs.filter((need) => Math.ceil(need - 1e-6) > capacity).length;
        const share = grid.shares[rate]?.[column] ?? -1;
        if (capacity >= MOST_FILES) expect(Math.round(share * CLIENTS)).toBe(denied);
        else expect(share * CLIENTS).toBeGreaterThanOrEqual(denied - 1e-6);
      });
    });
  });

  it("gets suggestions for 99.9 that deny within 0.02 points of what brute force finds", async () => {
    const { suggestions } = exact.fit ?? expect.fail();
    expect(suggestions.map(({ name }) => name)).toEqual(["tight", "balanced", "loose"]);
    for (const suggestion of suggestions) {
      const found = leastByForce(suggestion, suggestion.capacity);
      // All people come in the part of the day that is fitted to, so that it is the very same bucket.
      expect([suggestion.name, suggestion.capacity]).toEqual([suggestion.name, found.capacity]);
      expect(Math.abs(suggestion.clients - found.share)).toBeLessThanOrEqual(0.0002);
      const denied = deniedClients(suggestion, suggestion.capacity);
      expect(suggestion.clients).toBeCloseTo(denied.size / CLIENTS, 9);
      if (suggestion.name === "balanced") expect([...ATTACKERS].filter((client) => !denied.has(client))).toEqual([]);
    }
  });

  it("needs by stamps in whole seconds what it needs by exact ones, give or take the refill of a second", async () => {
    const grids = [exact, await replayed("seconds.log")].map(({ fit }) => fit?.grid());
    RATES.forEach(({ refill, perMs }, rate) => {
      const perSecond = (refill / perMs) * 1_000;
      for (const line of [0, 1, 2]) {
        const [one, other] = grids.map((grid) => grid?.frontiers[line]?.capacities[rate] ?? -1);
        // Each of them is rounded up to a whole one.
        expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThanOrEqual(Math.ceil(perSecond));
      }
    });
  });

  it("has its attackers denied by limits between the office and the storm, and no other client", async () => {
    const text = "version: 1\ndomains: { web: { limits: { all: { by: ip, rate: 20/1m, burst: 40 } } } }";
    const limits = { file: parseLimits(text, { yaml }), domain: "web" };
    const { judgement, nameOf, timeline } = await replayed("exact.log", { limits, share: undefined, isFitted: false });
    const { worst, denied, headroom, marks } = judgement ?? expect.fail();
    expect(new Set(worst.map(({ client }) => nameOf(client)))).toEqual(ATTACKERS);
    expect([denied.clients, headroom[0]]).toEqual([ATTACKERS.size, ATTACKERS.size]);
    expect(headroom.reduce((sum, count) => sum + count)).toBe(CLIENTS);
    expect(marks).toEqual([{ name: "all.rate", capacity: 40, refill: 20, perMs: 60_000 }]);
    const stuffing = worst.find(({ client }) => nameOf(client) === STUFFING[0]);
    // Ten minutes at ten a second: what the bucket has, and what flows in.
    expect(stuffing).toMatchObject({ requests: GUESSES, denied: GUESSES - 40 - Math.floor((GUESSES - 1) / 30) });
    expect(timeline.denied.reduce((sum, count) => sum + count)).toBe(denied.requests);
  });
});
