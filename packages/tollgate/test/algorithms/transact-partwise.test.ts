import { fixedWindow, type Limit, memoryStore, slidingWindow, tokenBucket } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { type DecidingSpace, transact } from "../../src/algorithms/transact.ts";
import { takePartwise } from "../../src/algorithms/transact-partwise.ts";
import { createPlan } from "../../src/core/plan.ts";
import type { Report } from "../../src/core/report.ts";
import type { SyncSpace } from "../../src/core/store.ts";
import { createTimeCell } from "../../src/core/time-cell.ts";
import type { SpaceStore } from "../../src/stores/local/space-store.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const START_US = 1_790_000_000_123_456;
const STEPS = 3_000;
const KEYS = ["ann", "bob", "cid"];

const LISTS: readonly (readonly Limit[])[] = [
  [tokenBucket({ capacity: 7, refill: 11, per: "3s" })],
  [
    fixedWindow({ limit: 5, window: "2s" }),
    slidingWindow({ limit: 9, window: "3s", resolution: "500ms", mode: "shadow" }),
  ],
  [
    tokenBucket({ capacity: 2 ** 20, refill: 999_937, per: "7d" }),
    slidingWindow({ limit: 6, window: "2s", resolution: 0 }),
  ],
  // Few cells: such a list takes at once, and undoes that if another denies.
  [fixedWindow({ limit: 6, window: "2s" }), tokenBucket({ capacity: 5, refill: 1, per: "1s", mode: "shadow" })],
];

const STORES = [
  ["a memory store", () => memoryStore({ warnings: false })],
  ["a table store", () => tableStore({ maxKeys: 100, warnings: false })],
] as const;

/** One space for each list of limits, and the cells of each key in each of them. */
function createSpaces(create: (typeof STORES)[number][1]) {
  const store = create();
  const spaces = LISTS.map((limits, i) =>
    store.open(createPlan(`limiter ${i}`, `limiter ${i}`, limits), {
      clock: manualClock(START_US / 1000),
      onSweep: undefined,
    }),
  );
  const cells = () =>
    spaces.map(({ plan }) => {
      const table = (store as unknown as SpaceStore).find(plan);
      return KEYS.map((key) => {
        const base = table?.locate(key) ?? -1;
        return base < 0 ? undefined : table?.cells.slice(base, base + table.compiled.width);
      });
    });
  return { spaces, cells };
}

/** The space without its parts: `transact` peeks at it before it takes. */
function whole(space: SyncSpace): DecidingSpace {
  return {
    plan: space.plan,
    apply: (verb, key, costs, now, report, at) => space.apply(verb, key, costs, now, report, at),
    maintain: () => space.maintain(),
  };
}

function figuresOf({ admitted, conforms, used, waitUs, usedAfterWait, resetUs }: Report) {
  return { admitted, conforms, used, waitUs, usedAfterWait, resetUs };
}

describe("a call on several spaces that judge it before they change anything", () => {
  it.each(STORES)(
    "in %s decides as one that peeks first, and a denial leaves every cell bit for bit",
    (_name, create) => {
      const parts = createSpaces(create);
      const twins = createSpaces(create);
      const below = randomBelow(7);
      const now = createTimeCell(START_US);
      let denials = 0;
      for (let step = 0; step < STEPS; step += 1) {
        now[0] = Math.max(START_US, now[0]! + below(700_000) - (below(20) === 0 ? 2_000_000 : 0));
        const verb = below(4) === 0 ? "peek" : "take";
        const chosen = LISTS.map((limits) => ({ key: KEYS[below(3)]!, costs: limits.map(() => below(4)) }));
        const callsOf = (spaces: readonly DecidingSpace[]) => chosen.map((call, i) => ({ ...call, space: spaces[i]! }));
        const before = parts.cells();
        const expected = transact(verb, callsOf(twins.spaces.map(whole)), now);
        // A space without parts may come after others that have taken.
        const asked = parts.spaces.map((space) => (below(10) === 0 ? whole(space) : space));
        expect(figuresOf(transact(verb, callsOf(asked), now))).toEqual(figuresOf(expected));
        if (!expected.admitted) denials += 1;
        if (!expected.admitted || verb === "peek") expect(parts.cells()).toEqual(before);
        expect(parts.cells()).toEqual(twins.cells());
      }
      expect(denials).toBeGreaterThan(STEPS / 10);
    },
  );

  it.each(STORES)("in %s takes without a report what one would that peeks first, or nothing", (_name, create) => {
    const parts = createSpaces(create);
    const twins = createSpaces(create);
    const below = randomBelow(8);
    const now = createTimeCell(START_US);
    let takes = 0;
    let denials = 0;
    for (let step = 0; step < STEPS; step += 1) {
      now[0] = now[0]! + below(300_000);
      const chosen = LISTS.map((limits) => ({ key: KEYS[below(2)]!, costs: limits.map(() => below(5)) }));
      const asked = [0, 3, 1].filter((i) => below(i === 1 ? 10 : 2) === 0);
      const callsOf = (spaces: readonly DecidingSpace[]) => asked.map((i) => ({ ...chosen[i]!, space: spaces[i]! }));
      const before = parts.cells();
      const { admitted } = transact("take", callsOf(twins.spaces.map(whole)), now);
      const calls = callsOf(parts.spaces);
      if (takePartwise(calls, now)) {
        for (const { space } of calls) space.maintain();
        expect(admitted).toBe(true);
        takes += 1;
      } else {
        expect(parts.cells()).toEqual(before);
        if (!admitted) denials += 1;
        expect(transact("take", calls, now).admitted).toBe(admitted);
      }
      expect(parts.cells()).toEqual(twins.cells());
    }
    expect(takes).toBeGreaterThan(STEPS / 5);
    expect(denials).toBeGreaterThan(STEPS / 10);
  });
});
