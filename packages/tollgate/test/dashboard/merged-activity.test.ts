import { type HotRow, mergeHot } from "tollgate/dashboard";
import { expect, it } from "vitest";

function counted(limiter: string, key: string, count: number, error = 0): HotRow {
  return { limiter, key, count, error };
}

it("the keys of several processes are added up by limiter and key, and the most certain ones come first", () => {
  const first = { active: [counted("a", "x", 5), counted("b", "x", 9, 8)], denied: [] };
  const second = { active: [counted("a", "y", 6), counted("a", "x", 3, 1)], denied: [counted("a", "x", 1)] };
  expect(mergeHot([first, second])).toEqual({
    active: [counted("a", "x", 8, 1), counted("a", "y", 6), counted("b", "x", 9, 8)],
    denied: [counted("a", "x", 1)],
  });
});

it("not more of them are listed than of one process", () => {
  const active = Array.from({ length: 15 }, (_, i) => counted("a", String(i), i + 1));
  const others = active.map((key) => ({ ...key, limiter: "b" }));
  expect(
    mergeHot([
      { active, denied: [] },
      { active: others, denied: [] },
    ]).active,
  ).toHaveLength(20);
});
