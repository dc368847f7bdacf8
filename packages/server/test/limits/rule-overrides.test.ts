import { systemClock } from "tollgate";
import type { LimitsFile } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { type RuleOverride, RuleOverrides, withOverrides } from "../../src/limits/rule-overrides.ts";

function overrideOf(rule: string, untilMs: number): RuleOverride {
  return { domain: "api", rule, mode: "off", untilMs, by: "ann" };
}

const FILE: LimitsFile = {
  version: 1,
  trustedHeaders: ["x-plan"],
  domains: {
    api: { ignoreCase: true, limits: { a: { rate: "1/1m" }, b: { rate: "1/1m", mode: "shadow" } } },
    other: { limits: { a: { rate: "1/1m" } } },
  },
};

describe("overrides of rules", () => {
  it("end by themselves on the clock of the system", async () => {
    const beganMs = systemClock.now();
    const ended = await new Promise<readonly RuleOverride[]>((resolve) => {
      const overrides = new RuleOverrides(systemClock, resolve);
      overrides.set(overrideOf("later", beganMs + 600_000));
      overrides.set(overrideOf("soon", beganMs + 30));
    });
    expect(ended.map(({ rule }) => rule)).toEqual(["soon"]);
    expect(systemClock.now() - beganMs).toBeGreaterThanOrEqual(30);
  });

  it("end each at its own time, and together if it is one", () => {
    const clock = manualClock();
    const ended: string[][] = [];
    const overrides = new RuleOverrides(clock, (expired) => void ended.push(expired.map(({ rule }) => rule)));
    for (const [rule, untilMs] of [
      ["a", 2_000],
      ["b", 1_000],
      ["c", 2_000],
      ["d", 3_000],
    ] as const) {
      overrides.set(overrideOf(rule, untilMs));
    }
    overrides.remove("api", "d");
    clock.advance(999);
    expect(ended).toEqual([]);
    clock.advance(5_000);
    expect(ended).toEqual([["b"], ["a", "c"]]);
    expect(overrides.list).toEqual([]);
  });

  it("notify of nothing once they are closed", () => {
    const clock = manualClock();
    const overrides = new RuleOverrides(clock, () => expect.unreachable());
    overrides.set(overrideOf("a", 1_000));
    overrides.set(overrideOf("b", 500));
    overrides.close();
    clock.advance(2_000);
  });

  it("change the mode of their rules, and nothing else of a file", () => {
    const text = JSON.stringify(FILE);
    const changed = withOverrides(FILE, [
      overrideOf("a", 1),
      { ...overrideOf("b", 1), mode: "on" },
      overrideOf("gone", 1),
      { ...overrideOf("a", 1), domain: "__proto__" },
    ]);
    expect(changed).toEqual({
      ...FILE,
      domains: {
        ...FILE.domains,
        api: { ignoreCase: true, limits: { a: { rate: "1/1m", mode: "off" }, b: { rate: "1/1m", mode: "enforce" } } },
      },
    });
    expect(Object.keys(changed.domains)).toEqual(["api", "other"]);
    expect(JSON.stringify(FILE)).toBe(text);
    expect(withOverrides(FILE, [])).toBe(FILE);
  });
});
