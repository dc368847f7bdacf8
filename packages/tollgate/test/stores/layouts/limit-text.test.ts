import fc from "fast-check";
import { fixedWindow, type Limit, perMinute, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../src/core/plan.ts";
import { readPlan, writeLimits } from "../../../src/stores/redis/layouts/limit-text.ts";
import { BLOCK, isLayoutId, layoutId, limitId, nameId, UNION } from "../../../src/stores/redis/script/layout.ts";
import { limitSpec } from "../../properties/limit-arbitrary.ts";
import { libraryLimit } from "../../properties/limit-spec.ts";

const idOf = (...limits: readonly Limit[]) => layoutId(createPlan("api", "api", limits, "carry-over"));
const bytesOf = (text: string) => [...new TextEncoder().encode(text)];

describe("the identity of a layout", () => {
  const [minute, hour] = [perMinute(5, { name: "minute" }), slidingWindow({ name: "hour", limit: 9, window: "1h" })];

  it("an identity has 8 characters, which no union, no block and no other length has", () => {
    expect(isLayoutId(idOf(minute))).toBe(true);
    for (const other of [UNION, BLOCK, "1234567", "123456789", ""]) expect(isLayoutId(other)).toBe(false);
    expect([UNION.length, BLOCK.length]).toEqual([8, 8]);
  });

  it("an identity is the same for any order and any mode", () => {
    const shadow = perMinute(5, { name: "minute", mode: "shadow" });
    expect(idOf(hour, shadow)).toBe(idOf(minute, hour));
  });

  it("an identity differs for other numbers, names, units and lists", () => {
    const limits = [minute, perMinute(6, { name: "minute" }), perMinute(5, { name: "other" })];
    const ids = [...limits, perMinute(5, { name: "minute", unit: "tokens" })].map((limit) => idOf(limit));
    expect(new Set([...ids, idOf(minute, hour), idOf(hour)]).size).toBe(6);
  });

  it("that of a limit is that of its list", () => {
    expect(limitId(minute)).toBe(idOf(minute));
  });

  it("names are those of limits of one unit, whatever their numbers are", () => {
    const tokens = perMinute(5, { name: "minute", unit: "tokens" });
    const plan = createPlan("api", "api", [minute], "carry-over");
    expect(nameId(perMinute(9, { name: "minute" }), plan)).toBe(nameId(minute, plan));
    expect(new Set([minute, hour, tokens].map((limit) => nameId(limit, plan))).size).toBe(3);
  });

  it("limits that count separately have a name in each list, and none of them is that of limits that carry over", () => {
    const plans = [[minute], [minute, hour]].flatMap((limits) =>
      (["separate", "carry-over"] as const).map((onChange) => createPlan("api", "api", limits, onChange)),
    );
    expect(new Set(plans.map((plan) => nameId(minute, plan))).size).toBe(3);
    expect(new Set(plans.map(layoutId)).size).toBe(4);
  });
});

describe("the description of a layout", () => {
  it("a description gives the limits back, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(limitSpec, { minLength: 1, maxLength: 4 }), (specs) => {
        const limits = specs.map((spec, i) => libraryLimit(spec, `limit ${i}`));
        const enforcing = limits.map((limit) => ({ ...limit, mode: "enforce" }));
        for (const onChange of ["carry-over", "separate"] as const) {
          const id = layoutId(createPlan("api", "api", limits, onChange));
          expect(readPlan(id, bytesOf(writeLimits(limits)))).toMatchObject({ limits: enforcing, onChange });
        }
      }),
    );
  });

  it.each([
    ["no text", ""],
    ["no list", '{"algorithm":"token-bucket"}'],
    ["an algorithm of another version", '[{"algorithm":"leaky-bucket","name":"calls"}]'],
    ["a name that every object has", '[{"algorithm":"constructor","name":"calls"}]'],
    [
      "a limit that its factory refuses",
      writeLimits([perMinute(5, { name: "calls" })]).replace('"capacity":5', '"capacity":-1'),
    ],
    ["other limits", writeLimits([fixedWindow({ name: "calls", limit: 5, window: "1m" })])],
  ])("a description is lost if it is %s", (_what, text) => {
    const id = idOf(tokenBucket({ name: "calls", capacity: 5, refill: 5, per: "1m" }));
    expect(readPlan(id, bytesOf(text))).toBeUndefined();
  });
});
