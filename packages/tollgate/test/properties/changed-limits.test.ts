import fc from "fast-check";
import {
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  memoryStore,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { runs } from "./runs.ts";

interface Numbers {
  readonly count: number;
  readonly refill: number;
  readonly periodMs: number;
}

/** A kind of limit by its numbers, and the numbers that admit at least as much as each of a list of numbers does. */
interface Kind {
  readonly make: (numbers: Numbers) => Limit;
  readonly largest: (all: readonly Numbers[]) => Limit;
}

const name = "calls";
const mostOf = (all: readonly Numbers[]) => Math.max(...all.map(({ count }) => count));
/** Counts do not carry over between windows of different lengths. */
const WINDOW_MS = 200;

const KINDS: Readonly<Record<string, Kind>> = {
  "token buckets": {
    make: ({ count, refill, periodMs }) => tokenBucket({ name, capacity: count, refill, per: periodMs }),
    largest: (all) => {
      const fastest = all.toSorted((one, other) => other.refill / other.periodMs - one.refill / one.periodMs)[0];
      if (fastest === undefined) throw new Error("expected numbers");
      return tokenBucket({ name, capacity: mostOf(all), refill: fastest.refill, per: fastest.periodMs });
    },
  },
  "sliding windows": {
    make: ({ count, refill }) =>
      slidingWindow({ name, limit: count, window: WINDOW_MS, resolution: refill > 3 ? WINDOW_MS / 4 : 0 }),
    largest: (all) => slidingWindow({ name, limit: mostOf(all), window: WINDOW_MS, resolution: 0 }),
  },
  "fixed windows": {
    make: ({ count }) => fixedWindow({ name, limit: count, window: WINDOW_MS }),
    largest: (all) => fixedWindow({ name, limit: mostOf(all), window: WINDOW_MS }),
  },
};

const numbers = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  refill: fc.integer({ min: 1, max: 6 }),
  periodMs: fc.constantFrom(100, 200, 800),
});
const steps = fc.array(
  fc.record({
    version: fc.nat(2),
    cost: fc.integer({ min: 1, max: 4 }),
    waitMs: fc.constantFrom(0, 0, 1, 7, 33.333, 120, 500),
  }),
  { maxLength: 120, size: "max" },
);

function versionsOf(lists: readonly (readonly Limit[])[], clock: ManualClock): (index: number) => Limiter {
  const store = memoryStore();
  const versions = lists.map((limits) => createLimiter({ name: "api", limits, clock, store, onChange: "carry-over" }));
  return (index) => {
    const found = versions[index % versions.length];
    if (found === undefined) throw new Error("expected a version");
    return found;
  };
}

describe.each(Object.entries(KINDS))("under any changes of %s,", (_kind, { make, largest }) => {
  it("a key is admitted no more than under the larger numbers at each moment", () => {
    const property = fc.property(fc.array(numbers, { minLength: 2, maxLength: 3 }), steps, (all, played) => {
      const clock = manualClock(START_MS);
      const version = versionsOf(
        all.map((one) => [make(one)]),
        clock,
      );
      const bound = createLimiter({ limits: [largest(all)], clock });
      for (const step of played) {
        clock.advance(step.waitMs);
        if (version(step.version).allow("ann", step.cost)) expect(bound.allow("ann", step.cost)).toBe(true);
      }
    });
    fc.assert(property, { numRuns: runs(30) });
  });
});

describe("calls that alternate between two limits of one name", () => {
  const kindAndNumbers = fc.tuple(fc.constantFrom(...Object.keys(KINDS)), numbers);

  it("are admitted at one moment as often as under the larger one, or as their sum under different algorithms", () => {
    fc.assert(
      fc.property(kindAndNumbers, kindAndNumbers, fc.boolean(), (one, other, isChosen) => {
        const [first, second] = [one, other].map(([kind, some]) => KINDS[kind]!.make(some)) as [Limit, Limit];
        const clock = manualClock(START_MS);
        let turn = 0;
        const chosen = createLimiter({ limits: (_key: string) => [turn % 2 === 0 ? first : second], clock });
        const version = versionsOf([[first], [second]], clock);
        let admitted = 0;
        for (turn = 0; turn < 40; turn += 1) {
          if ((isChosen ? chosen : version(turn)).allow("ann")) admitted += 1;
        }
        const { capacity } = first;
        const isSame = one[0] === other[0];
        expect(admitted).toBe(isSame ? Math.max(capacity, second.capacity) : capacity + second.capacity);
      }),
      { numRuns: runs(30) },
    );
  });
});
