import { describe, expect, it } from "vitest";
import type { Ratios } from "../guard/judge.ts";
import { settle } from "../guard/settle.ts";

const RECORDED = { a: 10, b: 5 };

/** Measures what stands in the list, one after another, and notes what it was asked for. */
function measuring(...answers: Ratios[]): { asked: (readonly string[])[]; measure: () => Promise<Ratios> } {
  const asked: (readonly string[])[] = [];
  const measure = (...[names]: (readonly string[])[]) => {
    asked.push(names ?? []);
    return Promise.resolve(answers[asked.length - 1] ?? {});
  };
  return { asked, measure };
}

describe("settle", () => {
  it("measures once when everything holds", async () => {
    const { asked, measure } = measuring({ a: 10, b: 5 });
    const said: string[] = [];
    const verdicts = await settle(RECORDED, ["a", "b"], measure, (line) => said.push(line));
    expect(verdicts.map(({ kind }) => kind)).toEqual(["holds", "holds"]);
    expect(asked).toEqual([["a", "b"]]);
    expect(said).toEqual([]);
  });

  it("measures again what fell, and that alone", async () => {
    const { asked, measure } = measuring({ a: 10, b: 1 }, { b: 4.5 });
    const said: string[] = [];
    const verdicts = await settle(RECORDED, ["a", "b"], measure, (line) => said.push(line));
    expect(verdicts).toEqual([
      { name: "a", recorded: 10, measured: 10, kind: "holds" },
      { name: "b", recorded: 5, measured: 4.5, kind: "holds" },
    ]);
    expect(asked).toEqual([["a", "b"], ["b"]]);
    expect(said).toEqual(["Fell, so measured again (1 of at most 2): b"]);
  });

  it("gives up after the third time", async () => {
    const { asked, measure } = measuring({ a: 1, b: 5 }, { a: 2 }, { a: 3 }, { a: 10 });
    const verdicts = await settle(RECORDED, ["a", "b"], measure, () => {});
    expect(verdicts[0]).toEqual({ name: "a", recorded: 10, measured: 3, kind: "fell" });
    expect(asked).toEqual([["a", "b"], ["a"], ["a"]]);
  });

  it("does not measure again what is not recorded", async () => {
    const { asked, measure } = measuring({ a: 10, b: 5, c: 1 });
    const verdicts = await settle(RECORDED, ["a", "b", "c"], measure, () => {});
    expect(verdicts.map(({ kind }) => kind)).toEqual(["holds", "holds", "not recorded"]);
    expect(asked).toHaveLength(1);
  });
});
