import { describe, expect, it } from "vitest";
import { figureOf, ratioOf } from "../report/figure.ts";
import { results, rival, row, weight } from "./support/results.ts";

const measured = results(
  {
    hot: [row("memory", 50), row("table", 40), rival("slow", 300), rival("fast", 80), row("floor", 1)],
    million: [row("table", 200), rival("forgetful", 100, { forgets: true }), rival("fast", 1000)],
  },
  [weight("table", 40, 2)],
);

describe("figureOf", () => {
  it("is that of the fastest contender named", () => {
    expect(figureOf({ of: "ns", table: "hot", entries: ["memory", "table"] }, measured)).toBe(40);
  });

  it("is that of the fastest rival", () => {
    expect(figureOf({ of: "fastest rival", table: "hot" }, measured)).toBe(80);
  });

  it("passes over a rival that forgets keys", () => {
    expect(figureOf({ of: "fastest rival", table: "million" }, measured)).toBe(1000);
  });

  it("is a weight", () => {
    expect(figureOf({ of: "bytesPerKey", entry: "table" }, measured)).toBe(40);
    expect(figureOf({ of: "worstStallMs", entry: "table" }, measured)).toBe(2);
  });

  it.each([
    { of: "ns", table: "thousand", entries: ["memory"] },
    { of: "ns", table: "hot", entries: ["other"] },
    { of: "fastest rival", table: "thousand" },
    { of: "bytesPerKey", entry: "memory" },
  ] as const)("was not measured: %j", (figure) => {
    expect(figureOf(figure, measured)).toBeUndefined();
  });
});

describe("ratioOf", () => {
  it("says how many times better ours is", () => {
    const ours = { of: "ns", table: "million", entries: ["table"] } as const;
    expect(ratioOf({ ours, theirs: { of: "fastest rival", table: "million" } }, measured)).toBe(5);
  });

  it("needs both", () => {
    const ours = { of: "ns", table: "hot", entries: ["table"] } as const;
    const missing = { of: "fastest rival", table: "thousand" } as const;
    expect(ratioOf({ ours, theirs: missing }, measured)).toBeUndefined();
    expect(ratioOf({ ours: missing, theirs: ours }, measured)).toBeUndefined();
  });
});
