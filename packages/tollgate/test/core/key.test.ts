import fc from "fast-check";
import { createLimiter, type Key, type KeyPart, perDay } from "tollgate";
import { describe, expect, it } from "vitest";

const limiter = createLimiter({ limits: [perDay(1)] });
const textOf = (key: Key) => limiter.byKey(key).explain()[0]?.key;

/** What could be mistaken for an encoding: marks, quotes, escapes, separators, lone surrogates, digits. */
const ODD_TEXTS = [
  "",
  "[",
  "[[",
  "]",
  '["',
  '["a"]',
  '["a","b"]',
  '"',
  '","',
  "\\",
  "\\u0000",
  "\\ud800",
  "\u0000",
  ",",
  "true",
  "[true]",
];
const MORE_TEXTS = ["\ud800", "\udc00", "\ud83d\ude00", "{", "}", "1", "1n", "-1", "0", "null", "x".repeat(100_000)];
const text = fc.oneof(
  fc.constantFrom(...ODD_TEXTS, ...MORE_TEXTS),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.string({ unit: fc.constantFrom("[", "]", '"', ",", "\\", "1", "n", "\ud800", "\udc00"), maxLength: 6 }),
);
const part: fc.Arbitrary<KeyPart> = fc.oneof(
  text,
  fc.constantFrom(0, 1, -1, 1.5, 5e-324, Number.MAX_SAFE_INTEGER),
  fc.double({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }).map((one) => one + 0),
  fc.constantFrom(0n, 1n, -1n, 2n ** 64n),
  fc.bigInt(),
  fc.boolean(),
);
const tuple = fc.array(part, { minLength: 1, maxLength: 4 });

/** Types as well as values: 1, 1n and "1" differ. */
const sameParts = (one: readonly KeyPart[], other: readonly KeyPart[]) =>
  one.length === other.length && one.every((value, index) => value === other[index]);

describe("the text of a key", () => {
  it("differs for any two tuples that differ", () => {
    fc.assert(
      fc.property(tuple, tuple, (one, other) => {
        expect(textOf(one) === textOf(other)).toBe(sameParts(one, other));
      }),
      { numRuns: 2_000 },
    );
  });

  it("of a tuple is never that of a string, a number or a bigint", () => {
    fc.assert(
      fc.property(tuple, part, (one, other) => {
        expect(textOf(one)).not.toBe(textOf(other));
      }),
      { numRuns: 2_000 },
    );
    // A string that reads like the text of a tuple.
    fc.assert(
      fc.property(tuple, (one) => {
        expect(textOf(textOf(one) ?? "")).not.toBe(textOf(one));
      }),
    );
  });

  it("of a tuple of strings is their JSON, whatever their lengths and escapes", () => {
    const long = fc.string({ unit: "binary", minLength: 55, maxLength: 70 });
    const escaped = fc.constantFrom(
      "\u001f",
      " ",
      "!",
      '"',
      "#",
      "[",
      "\\",
      "]",
      "\ud7ff",
      "\udbff",
      "\udfff",
      "\ue000",
    );
    const texts = fc.array(fc.oneof(text, long, escaped), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, (one) => {
        expect(textOf(one)).toBe(JSON.stringify(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the string itself unless it begins with a bracket", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(textOf(one)).toBe(one.startsWith("[") ? `[${one}` : one);
      }),
    );
  });

  it.each<[Key, string]>([
    [42, "42"],
    [42n, "42"],
    ["42", "42"],
    [-0, "0"],
    [0.1, "0.1"],
    [true, "true"],
    [[false, "false"], '[false,"false"]'],
    [2n ** 70n, "1180591620717411303424"],
    [["ann", "/login"], '["ann","/login"]'],
    [["ann", 42, 42n, -0], '["ann",42,42n,0]'],
    [["\ud800", 'a"b'], '["\\ud800","a\\"b"]'],
    [["[a]"], '["[a]"]'],
    ["[::1]", "[[::1]"],
  ])("of %o is %s", (key, expected) => {
    expect(textOf(key)).toBe(expected);
  });

  it.each<[unknown, string]>([
    [undefined, "key: expected a string, a number, a bigint, a boolean or a tuple of them, got undefined"],
    [{}, "key: expected a string, a number, a bigint, a boolean or a tuple of them, got an object"],
    [
      () => () => "a",
      "key: expected a string, a number, a bigint, a boolean or a tuple of them, got a function; " +
        "a function that makes key functions has to be called, as in clientIp()",
    ],
    [
      Promise.resolve("a"),
      "key: expected a string, a number, a bigint, a boolean or a tuple of them, got a promise; " +
        "for look-ups, pass an async function, or set async: true",
    ],
    [
      Number.NaN,
      "key: expected a number from -(2^53 - 1) to 2^53 - 1, got NaN; pass greater ones as a bigint or a string",
    ],
    [
      2 ** 53,
      "key: expected a number from -(2^53 - 1) to 2^53 - 1, got 9007199254740992; " +
        "pass greater ones as a bigint or a string",
    ],
    [[], "key: expected a tuple of at least one part, got none"],
    [["ann", undefined], "key[1]: expected a string, a number, a bigint or a boolean, got undefined"],
    [new Array(2), "key[0]: expected a string, a number, a bigint or a boolean, got undefined"],
    [["ann", ["a"]], "key[1]: expected a string, a number, a bigint or a boolean, got an array"],
    [
      [Number.POSITIVE_INFINITY],
      "key[0]: expected a number from -(2^53 - 1) to 2^53 - 1, got Infinity; " +
        "pass greater ones as a bigint or a string",
    ],
  ])("is refused for %o, before anything is counted", (key, message) => {
    const own = createLimiter({ key: () => key as Key, limits: [perDay(1)] });
    for (const attempt of [() => own.allow("x"), () => own.consume("x"), () => own.byKey(key as Key)]) {
      expect(attempt).toThrow(expect.objectContaining({ code: "ERR_KEY", message }));
    }
    expect(own.size).toBe(0);
  });
});
