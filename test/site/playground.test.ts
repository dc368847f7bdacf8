import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { createLimiter, fixedWindow, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { arrivalsOf, PRESETS, readStamps } from "../../site/playground/presets.ts";
import {
  ALGORITHMS,
  codeOf,
  decodeState,
  encodeState,
  FIRST,
  limitOf,
  MOST_ARRIVALS,
  MOST_UNITS,
  type State,
  WINDOWS,
} from "../../site/playground/state.ts";
import { timelines } from "../../site/playground/timeline.ts";

const units = fc.integer({ min: 1, max: MOST_UNITS });
const states: fc.Arbitrary<State> = fc.record({
  limit: units,
  windowSeconds: fc.constantFrom(...WINDOWS),
  burst: units,
  arrivals: fc
    .array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 120 })
    .map((moments) => moments.toSorted((one, other) => one - other)),
});

describe("the playground", () => {
  it("admits the arrivals that a limiter with a manual clock admits", () => {
    fc.assert(
      fc.property(states, (state) => {
        const lanes = timelines(state).map(({ admitted }) => admitted);
        const expected = ALGORITHMS.map((algorithm) => {
          const clock = manualClock(0);
          const limiter = createLimiter({ limits: [limitOf(algorithm, state)], clock });
          return state.arrivals.map((at) => {
            clock.set(at);
            return limiter.allow("ann");
          });
        });
        expect(lanes).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("knows the microsecond at which the next call passes", () => {
    fc.assert(
      fc.property(states, (state) => {
        const last = state.arrivals.at(-1) ?? 0;
        for (const lane of timelines(state)) {
          const next = lane.nextPassMs(last);
          if (next > last) expect(lane.remainingAt(next - 0.001)).toBe(0);
          expect(lane.remainingAt(next)).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("shows levels that never leave what the limit has", () => {
    fc.assert(
      fc.property(states, (state) => {
        for (const { capacity, levels } of timelines(state)) {
          expect(levels.length).toBeGreaterThan(0);
          expect(levels.every(([, left]) => left >= 0 && left <= capacity)).toBe(true);
          expect(levels.map(([at]) => at)).toEqual(levels.map(([at]) => at).sort((one, other) => one - other));
        }
      }),
    );
  });

  it("admits 20 of a double burst by the fixed window, and about half of them by the others", () => {
    const [, edge] = PRESETS[0] ?? ["", FIRST];
    expect(timelines(edge).map(({ admittedCount }) => admittedCount)).toEqual([10, 10, 20]);
  });

  it("reads back what it writes into a link", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(decodeState(`#${encodeState(state)}`)).toEqual(state);
      }),
    );
  });

  it("starts anew where a link is wrong", () => {
    expect(decodeState("#limit=0&window=x&burst=1e9&at=5,-1,a,7x2")).toEqual({ ...FIRST, arrivals: [5, 7, 7] });
    expect(decodeState("#at=0x999,1x999").arrivals).toHaveLength(MOST_ARRIVALS);
    expect(decodeState("")).toEqual(FIRST);
  });

  it("writes code that makes the limits that it shows", () => {
    fc.assert(
      fc.property(states, fc.constantFrom(...ALGORITHMS), (state, algorithm) => {
        const [, expression = ""] = /limits: \[(.*)\]/.exec(codeOf(algorithm, state)) ?? [];
        const made: unknown = runInNewContext(expression, { fixedWindow, slidingWindow, tokenBucket });
        expect(made).toEqual(limitOf(algorithm, state));
      }),
    );
  });
});

describe("stamps of a log", () => {
  it("are read from access logs, ISO 8601 and seconds or milliseconds since the epoch", () => {
    const log = [
      '10.0.0.1 - - [29/Nov/2026:01:00:02 +0100] "GET / HTTP/1.1" 200 5',
      '{"time":"2026-11-29T00:00:01.250Z","status":200}',
      "1795910400 GET /",
      "ts=1795910400500 GET /",
      "no stamp",
      "",
    ].join("\n");
    const { momentsMs, unreadable } = readStamps(log);
    const midnight = Date.UTC(2026, 10, 29);
    expect(momentsMs.map((moment) => moment - midnight)).toEqual([0, 500, 1_250, 2_000]);
    expect(unreadable).toBe(1);
    expect(arrivalsOf(momentsMs, 10)).toEqual([0, 500, 1_250, 2_000]);
  });

  it("keep their place in the windows of the clock", () => {
    expect(arrivalsOf([19_900, 20_100], 10)).toEqual([9_900, 10_100]);
  });
});
