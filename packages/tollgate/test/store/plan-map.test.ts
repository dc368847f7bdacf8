import { perHour, perMinute } from "tollgate";
import { createPlan, PlanMap } from "tollgate/store";
import { describe, expect, it } from "vitest";

const LIMITS = [perMinute(5), perHour(100)];

describe("PlanMap", () => {
  it("has one value for plans of equal scope and limits, whatever their order and modes", () => {
    const values = new PlanMap(() => ({}));
    const value = values.of(createPlan("api", "api", LIMITS));
    expect(values.of(createPlan("api", "api", LIMITS.toReversed()))).toBe(value);
    expect(values.of(createPlan("api", "api", [perMinute(5, { mode: "shadow" }), perHour(100)]))).toBe(value);
    expect(values.of(createPlan("login", "login", LIMITS))).not.toBe(value);
    expect(values.of(createPlan("api", "api", [perMinute(5)]))).not.toBe(value);
  });
});
