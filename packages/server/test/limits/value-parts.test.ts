import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JoinedParts, partsOf } from "../../src/limits/value-parts.ts";

/** Texts with the keys of every value in their order. */
const textOf = (value: unknown): string => JSON.stringify(value);

/** Objects whose keys are in the order in which they were added, as all texts that are no whole numbers. */
const key = fc.oneof(
  fc.string().map((text) => `k${text}`),
  fc.constantFrom("__proto__", "constructor", "length"),
);
const { value: plain } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.jsonValue(), fc.array(tie("value")), tie("object")),
  object: fc.array(fc.tuple(key, tie("value"))).map((entries) => Object.fromEntries(entries)),
}));

const long = fc.oneof(
  fc.integer({ min: 0, max: 9_000 }).map((length) => Array.from({ length }, (_, i) => i)),
  fc
    .tuple(fc.integer({ min: 0, max: 5_000 }), plain)
    .map(([length, value]) => Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, i % 7 === 0 ? value : i]))),
);

function joined(messages: readonly unknown[]): unknown {
  const parts = new JoinedParts();
  // Messages are copies.
  for (const message of structuredClone(messages)) parts.add(message as never);
  return parts.value;
}

/** How many values are in a value, itself among them. */
function count(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1);
}

describe("the parts of a value", () => {
  it("are the value again, with keys of any name in their order", () => {
    const object = fc.array(fc.tuple(key, fc.oneof(plain, long))).map((entries) => Object.fromEntries(entries));
    fc.assert(
      fc.property(object, (value) => {
        const messages = [...partsOf(value)];
        expect(textOf(joined(messages))).toBe(textOf(value));
      }),
      { numRuns: 30 },
    );
  });

  it("come in short messages, however the value is nested", () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, { rate: "1/1s" }]));
    const rules = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`r${i}`, { by: ["ip"], rate: "1/1s" }]));
    const value = { domains: { api: { limits: { first: { by: "user", keys }, ...rules } } } };
    const messages = [...partsOf(value)];
    expect(textOf(joined(messages))).toBe(textOf(value));
    // A message also says the place of each value.
    const lengths = messages.map((parts) => parts.reduce((sum, [, , inner]) => sum + count(inner), 0));
    expect(Math.max(...lengths)).toBeLessThan(4_000);
    expect(messages.length).toBeLessThan(50);
  });
});
