import { describe, expect, it } from "vitest";
import { judge } from "../guard/judge.ts";

describe("judge", () => {
  it.each([
    [8, "holds"],
    [12, "holds"],
    [7.99, "fell"],
  ])("a ratio recorded as 10 and measured as %d", (measured, kind) => {
    expect(judge({ a: 10 }, { a: measured })).toEqual([{ name: "a", recorded: 10, measured, kind }]);
  });

  it("finds what stands on one side only", () => {
    expect(judge({ a: 1 }, { b: 2 })).toEqual([
      { name: "a", recorded: 1, measured: undefined, kind: "not measured" },
      { name: "b", recorded: undefined, measured: 2, kind: "not recorded" },
    ]);
  });
});
