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

  it("keeps scopes apart that are symbols of the same description", () => {
    const values = new PlanMap(() => ({}));
    const [one, other] = [createPlan(Symbol("a"), "a", LIMITS), createPlan(Symbol("a"), "a", LIMITS)];
    expect(values.of(one)).not.toBe(values.of(other));
  });

  it("creates a value again after it was deleted", () => {
    const values = new PlanMap((plan) => ({ name: plan.limiter }));
    const plan = createPlan("api", "api", LIMITS);
    const before = values.of(plan);
    values.delete(plan);
    expect(values.of(plan)).not.toBe(before);
    expect(values.of(plan)).toEqual(before);
  });
});
