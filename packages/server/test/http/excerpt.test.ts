import { describe, expect, it } from "vitest";
import { excerpt } from "../../src/http/excerpt.ts";

describe("an excerpt of a value", () => {
  it("is the beginning of its JSON", () => {
    expect(excerpt({ a: [1, "b"] })).toBe('{"a":[1,"b"]}');
    expect(excerpt("x".repeat(100))).toBe(`"${"x".repeat(59)}…`);
    expect(excerpt(undefined)).toBe("nothing");
  });

  it("is there for values that are nested deeper than JSON can be written", () => {
    const levels = 200_000;
    const list: unknown = JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(excerpt(list)).toBe("a list that is nested too deep");
    expect(excerpt({ list })).toBe("an object that is nested too deep");
  });
});
