import type { Clock } from "tollgate";
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

/** The rules whose overrides have ended, in lists of those that ended together. */
function openOverrides(clock: Clock): { readonly overrides: RuleOverrides; readonly ended: string[][] } {
  const ended: string[][] = [];
  const overrides = new RuleOverrides(clock, () => {
    const { due, list } = overrides;
    ended.push(due.map(({ rule }) => rule));
    overrides.replace(list.filter((override) => !due.includes(override)));
  });
  return { overrides, ended };
}

describe("overrides of rules", () => {
  it("end each at its own time, and together if it is one", () => {
    const clock = manualClock();
    const { overrides, ended } = openOverrides(clock);
    const all = [overrideOf("a", 2_000), overrideOf("b", 1_000), overrideOf("c", 2_000), overrideOf("d", 3_000)];
    overrides.replace(all);
    overrides.replace(all.slice(0, 3));
    clock.advance(999);
    expect(ended).toEqual([]);
    clock.advance(5_000);
    expect(ended).toEqual([["b"], ["a", "c"]]);
    expect(overrides.list).toEqual([]);
  });

  it("are one for each rule, the last one, and a hundred at most", () => {
    const { overrides } = openOverrides(manualClock());
    for (let i = 0; i < 100; i += 1) overrides.replace(overrides.with(overrideOf(`r${i}`, 1_000)) ?? []);
    expect(overrides.list).toHaveLength(100);
    expect(overrides.with(overrideOf("r100", 1_000))).toBeUndefined();
    expect(overrides.with(overrideOf("r7", 2_000))).toHaveLength(100);
    expect(overrides.with({ ...overrideOf("r7", 2_000), domain: "other" })).toBeUndefined();
  });

  it("notify of nothing once they are closed", () => {
    const clock = manualClock();
    const overrides = new RuleOverrides(clock, () => expect.unreachable());
    overrides.replace([overrideOf("a", 1_000), overrideOf("b", 500)]);
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
