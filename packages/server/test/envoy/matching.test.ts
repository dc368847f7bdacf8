import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/envoy/descriptor-tree.ts";
import { Wildcard } from "../../src/envoy/wildcard.ts";
import { configurationOf } from "./configurations.ts";

const LIMIT = "rate_limit: {unit: day, requests_per_unit: 1}";

/** The path of the rule that entries such as `"k=v"` meet in a domain `d`. */
function pathOf(descriptors: string, ...entries: string[]): string | undefined {
  const tree = configurationOf(`domain: d\ndescriptors:\n${descriptors}`).get("d");
  return tree?.match(entries.map(entryOf))?.rule.path;
}

function entryOf(text: string): Entry {
  const at = text.indexOf("=");
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

describe("the rule of a descriptor", () => {
  it("is that of the exact value, then of a wildcard in the file's order, then of the key alone", () => {
    const descriptors = `
  - {key: path, ${LIMIT}}
  - {key: path, value: "a*", ${LIMIT}}
  - {key: path, value: "*b", ${LIMIT}}
  - {key: path, value: "ab", ${LIMIT}}`;
    expect(pathOf(descriptors, "path=ab")).toBe("d.path_ab");
    expect(pathOf(descriptors, "path=axb")).toBe("d.path_a*");
    expect(pathOf(descriptors, "path=xb")).toBe("d.path_*b");
    expect(pathOf(descriptors, "path=x")).toBe("d.path");
    expect(pathOf(descriptors, "path=")).toBe("d.path");
  });

  it("stands where the descriptor ends, neither before nor after", () => {
    const descriptors = `
  - key: a
    ${LIMIT}
    descriptors: [{key: b, descriptors: [{key: c, ${LIMIT}}]}]`;
    expect(pathOf(descriptors, "a=1")).toBe("d.a");
    expect(pathOf(descriptors, "a=1", "b=2")).toBeUndefined();
    expect(pathOf(descriptors, "a=1", "b=2", "c=3")).toBe("d.a.b.c");
    expect(pathOf(descriptors, "a=1", "b=2", "c=3", "d=4")).toBeUndefined();
    expect(pathOf(descriptors, "b=2")).toBeUndefined();
    expect(pathOf(descriptors)).toBeUndefined();
  });

  it("is not looked for again where a more specific level has none", () => {
    const descriptors = `
  - {key: a, value: x, descriptors: [{key: b, ${LIMIT}}]}
  - {key: a, descriptors: [{key: c, ${LIMIT}}]}`;
    expect(pathOf(descriptors, "a=x", "c=1")).toBeUndefined();
    expect(pathOf(descriptors, "a=y", "c=1")).toBe("d.a.c");
  });

  it("is never found by gluing a key and a value together", () => {
    const descriptors = `\n  - {key: a, value: b_c, ${LIMIT}}`;
    expect(pathOf(descriptors, "a_b=c")).toBeUndefined();
  });

  it("shares a count among all values of a wildcard with share_threshold only", () => {
    const tree = configurationOf(`
domain: d
descriptors:
  - {key: k, value: "a*", share_threshold: true, ${LIMIT}}
  - {key: k, value: "b*", ${LIMIT}}`).get("d");
    const parts = (value: string) => tree?.match([{ key: "k", value }])?.parts;
    expect(parts("a1")).toEqual(parts("a2"));
    expect(parts("b1")).not.toEqual(parts("b2"));
  });
});

describe("a wildcard", () => {
  /** The same by trying every way, which takes exponential time. */
  function matchesSlowly(pattern: string, value: string): boolean {
    if (pattern === "") return value === "";
    if (pattern[0] !== "*") return pattern[0] === value[0] && matchesSlowly(pattern.slice(1), value.slice(1));
    for (let i = 0; i <= value.length; i += 1) if (matchesSlowly(pattern.slice(1), value.slice(i))) return true;
    return false;
  }

  const text = (letters: string[]) =>
    fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((all) => all.join(""));

  it("matches as the definition says", () => {
    fc.assert(
      fc.property(text(["a", "b", "*"]), text(["a", "b", "*"]), (pattern, value) => {
        fc.pre(pattern.includes("*"));
        expect(new Wildcard(pattern).matches(value)).toBe(matchesSlowly(pattern, value));
      }),
      { numRuns: 5_000 },
    );
  });

  it("takes linear time for a pattern that tries every place", () => {
    const wildcard = new Wildcard(`${"*a".repeat(2_000)}*b`);
    expect(wildcard.matches("a".repeat(100_000))).toBe(false);
  });
});
