import { describe, expect, it } from "vitest";
import { VARIANTS } from "../http/catalog.ts";
import { judge, TARGETS, type Target } from "../http/report/targets.ts";
import { sample } from "./support/http-samples.ts";

const target: Target = { text: "ours over theirs", ours: "ours", theirs: "theirs", aim: { atLeast: 0.9 } };

describe("a target", () => {
  it.each([
    [90, "reached"],
    [89.9, "missed"],
  ])("of at least 0.9: %d beside 100", (ours, verdict) => {
    const judged = judge(target, [sample("ours", 1, ours), sample("theirs", 1, 100)]);
    expect(judged).toMatchObject({ text: "ours over theirs", aim: "≥ 0.90", verdict });
    expect(judged.measured?.median).toBeCloseTo(ours / 100);
  });

  it.each([
    [101, "reached"],
    [100, "missed"],
  ])("of being ahead: %d beside 100", (ours, verdict) => {
    const judged = judge({ ...target, aim: { above: 1 } }, [sample("ours", 1, ours), sample("theirs", 1, 100)]);
    expect(judged).toMatchObject({ aim: "> 1.00", verdict });
  });

  it("that was not measured is neither", () => {
    expect(judge(target, [])).toMatchObject({ measured: undefined, verdict: "not measured" });
  });

  it("has a text of its own, and is about rows that there are", () => {
    expect(new Set(TARGETS.map(({ text }) => text)).size).toBe(TARGETS.length);
    const ids = VARIANTS.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(TARGETS.flatMap(({ ours, theirs }) => [ours, theirs])));
  });
});
