import { createLimiter, memoryStore, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { KeyTexts } from "../../../src/stores/local/key-texts.ts";

const clock = manualClock(1_790_000_000_123);
const LONG = "x".repeat(5_000);

function setUp() {
  const store = memoryStore();
  return { store, limiter: createLimiter({ name: "api", limits: [perMinute(2)], clock, store }) };
}

describe("a key of thousands of units", () => {
  it("differs from all other keys, whichever unit differs", () => {
    const { store, limiter } = setUp();
    const keys = Array.from({ length: 500 }, (_, i) => `${LONG.slice(0, 10 * i)}y${LONG.slice(10 * i)}`);
    const wide = keys.map((key) => key.replace("y", "я"));
    for (const key of [...keys, ...wide]) expect([limiter.allow(key, 2), limiter.allow(key)]).toEqual([true, false]);
    expect(store.size).toBe(1_000);
  });
});

describe("the digest of a long key", () => {
  const texts = new KeyTexts();

  it("replaces every key of more than 256 units, and equals no key that is kept as it is", () => {
    for (const key of [
      "",
      "a",
      "x".repeat(17),
      "\u0000",
      `\u0000${"x".repeat(15)}`,
      `\u0000${"x".repeat(17)}`,
      "я".repeat(256),
    ]) {
      expect(texts.of(key)).toBe(key);
    }
    const digest = texts.of("x".repeat(257));
    expect(digest).toHaveLength(17);
    expect(texts.of(digest)).not.toBe(digest);
    expect(texts.of(texts.of(digest))).not.toBe(digest);
  });
});
