import { expect, it } from "vitest";
import { type HotRuleKey, mergeHot } from "../../src/operations/hot-keys.ts";

function counted(rule: string, key: string, count: number, error = 0): HotRuleKey {
  return { rule, key, count, error };
}

it("the keys of several processes are added up by rule and key, and the most certain ones come first", () => {
  const first = { active: [counted("a", "x", 5), counted("b", "x", 9, 8)], denied: [] };
  const second = { active: [counted("a", "y", 6), counted("a", "x", 3, 1)], denied: [counted("a", "x", 1)] };
  expect(mergeHot([first, second])).toEqual({
    active: [counted("a", "x", 8, 1), counted("a", "y", 6), counted("b", "x", 9, 8)],
    denied: [counted("a", "x", 1)],
  });
});

it("not more of them are listed than of one process", () => {
  const active = Array.from({ length: 15 }, (_, i) => counted("a", String(i), i + 1));
  const others = active.map((key) => ({ ...key, rule: "b" }));
  expect(
    mergeHot([
      { active, denied: [] },
      { active: others, denied: [] },
    ]).active,
  ).toHaveLength(20);
});
