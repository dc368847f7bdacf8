import { describe, expect, it } from "vitest";
import { spreadOf } from "../report/spread.ts";

describe("spreadOf", () => {
  it.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[30, 4, 5], { median: 5, min: 4, max: 30 }],
    [[10, 2, 9, 1], { median: 5.5, min: 1, max: 10 }],
  ])("%j", (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  it("leaves the values in their order", () => {
    const values = [3, 1, 2];
    spreadOf(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it("has no median of nothing", () => {
    expect(() => spreadOf([])).toThrow("expected at least one");
  });
});
