import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrequentKeys } from "../../../src/metrics/hot-keys/frequent-keys.ts";
import { countsOf, seededRandom, zipfStream } from "./streams.ts";

const EVERY = Number.POSITIVE_INFINITY;

function feed(stream: readonly string[], slots: number): FrequentKeys {
  const frequent = new FrequentKeys(slots);
  for (const key of stream) frequent.add(key, 1);
  return frequent;
}

/** Throws unless all that the structure promises holds for these exact counts. */
function expectBounds(frequent: FrequentKeys, exact: ReadonlyMap<string, number>, slots: number): void {
  const found = new Map(frequent.top(EVERY).map((one) => [one.key, one]));
  const total = [...exact.values()].reduce((sum, count) => sum + count, 0);
  if (exact.size <= 2 * slots) expect(found.size).toBe(exact.size);
  else expect(found.size).toBeLessThanOrEqual(2 * slots);
  expect(frequent.least).toBeLessThanOrEqual(total / slots);
  for (const [key, count] of exact) {
    const { count: most, error } = found.get(key) ?? { count: frequent.least, error: frequent.least };
    if (count > most || count < most - error) {
      throw new Error(`${key}: counted ${count}, found at most ${most} and at least ${most - error}`);
    }
  }
}

describe("frequent keys", () => {
  it("are counted within their bounds, whatever the stream and its order", () => {
    const step = fc.record({ key: fc.integer({ min: 0, max: 400 }), times: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (steps, slots) => {
        const stream = steps.flatMap(({ key, times }) => Array<string>(times).fill(`key-${key}`));
        expectBounds(feed(stream, slots), countsOf(stream), slots);
      }),
      { numRuns: 300 },
    );
  });

  it("are counted within their bounds with weights, and when all weights are scaled", () => {
    const step = fc.record({ key: fc.nat(60), weight: fc.integer({ min: 1, max: 9 }), halves: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 9 }), (steps, slots) => {
        const frequent = new FrequentKeys(slots);
        let exact = new Map<string, number>();
        for (const { key, weight, halves } of steps) {
          frequent.add(`key-${key}`, weight);
          exact.set(`key-${key}`, (exact.get(`key-${key}`) ?? 0) + weight);
          if (!halves) continue;
          frequent.scale(0.5);
          exact = new Map([...exact].map(([name, count]) => [name, count / 2]));
        }
        expectBounds(frequent, exact, slots);
      }),
    );
  });

  it.each([
    [0.8, 320],
    [1.1, 100],
    [1.5, 32],
  ])("of a Zipf stream with exponent %s are found by %i slots, with small errors", (exponent, slots) => {
    const stream = zipfStream(200_000, 50_000, exponent, seededRandom(5));
    const exact = countsOf(stream);
    const frequent = feed(stream, slots);
    expectBounds(frequent, exact, slots);
    const best = [...exact].sort(([, one], [, other]) => other - one).slice(0, 10);
    expect(frequent.top(10).map(({ key }) => key)).toEqual(best.map(([key]) => key));
    for (const { key, count } of frequent.top(10)) {
      expect(count - exact.get(key)!).toBeLessThan(stream.length / slots / 4);
    }
  });

  it("are not pushed out by an attacker's million keys, which come once each", () => {
    const slots = 320;
    const frequent = new FrequentKeys(slots);
    const exact = new Map<string, number>();
    const add = (key: string, times: number) => {
      exact.set(key, times);
      for (let i = 0; i < times; i += 1) frequent.add(key, 1);
    };
    for (let i = 0; i < 10; i += 1) add(`victim-${i}`, 1_600 + i);
    for (let i = 0; i < 1_000_000; i += 1) frequent.add(`attacker-${i}`, 1);
    expect(frequent.least).toBeLessThan(1_600);
    expect(frequent.top(10).map(({ key, count, error }) => ({ key, count, error }))).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ key: `victim-${9 - i}`, count: 1_609 - i, error: 0 })),
    );
  });

  it("are found although an attacker's keys take turns to come one time more than the least count", () => {
    const slots = 32;
    const stream: string[] = [];
    const frequent = new FrequentKeys(slots);
    const add = (key: string) => {
      stream.push(key);
      frequent.add(key, 1);
    };
    for (let round = 0; round < 3_000; round += 1) {
      for (let i = 0; i < 3; i += 1) add(`victim-${i}`);
      const key = `attacker-${round % 1_000}`;
      for (let i = Math.min(12, frequent.least + 1); i > 0; i -= 1) add(key);
    }
    expectBounds(frequent, countsOf(stream), slots);
    expect(new Set(frequent.top(3).map(({ key }) => key))).toEqual(new Set(["victim-0", "victim-1", "victim-2"]));
  });

  it("do not inherit the weights of long ago", () => {
    const frequent = feed(
      Array.from({ length: 1_000 }, (_, i) => `before-${i}`),
      2,
    );
    frequent.scale(0.01);
    for (let i = 0; i < 10; i += 1) frequent.add(`after-${i}`, 1);
    expect(frequent.least).toBeLessThanOrEqual((1_000 * 0.01 + 10) / 2);
  });

  it("come first that have most for certain", () => {
    const frequent = feed(Array<string>(20).fill("early"), 2);
    for (let i = 0; frequent.least < 10; i += 1) frequent.add(`once-${i}`, 1);
    for (let i = 0; i < 15; i += 1) frequent.add("late", 1);
    expect(frequent.top(EVERY)).toEqual([
      { key: "early", count: 20, error: 0 },
      { key: "late", count: 25, error: 10 },
    ]);
    expect(frequent.top(1).map(({ key }) => key)).toEqual(["early"]);
  });

  it("have the error of the time when they came, which shrinks with the counts", () => {
    const frequent = feed(["a", "a", "b", "c"], 1);
    expect(frequent.least).toBe(2);
    frequent.add("a", 1);
    expect(frequent.top(EVERY)).toEqual([{ key: "a", count: 3, error: 2 }]);
    frequent.scale(0.25);
    expect([frequent.top(1), frequent.least]).toEqual([[{ key: "a", count: 0.75, error: 0.5 }], 0.5]);
  });
});
