import { describe, expect, it } from "vitest";
import { nearestWord } from "../../src/core/nearest-word.ts";

const WORDS = ["burst", "capacity", "initial", "name", "unit", "mode"];

describe("the nearest word", () => {
  it.each([
    ["burts", "burst"],
    ["brust", "burst"],
    ["Burst", "burst"],
    ["bursts", "burst"],
    ["capasity", "capacity"],
    ["inital", "initial"],
    ["nam", "name"],
    ["units", "unit"],
    ["cap", "capacity"],
    ["INITI", "initial"],
  ])("of %s is %s", (misspelt, word) => {
    expect(nearestWord(misspelt, WORDS)).toBe(word);
  });

  it("is the shortest that begins so, if none is as near", () => {
    expect(nearestWord("allow", ["allowListOfClients", "allowList", "denyList"])).toBe("allowList");
    expect(nearestWord("allow", ["allowList", "alloy"])).toBe("alloy");
    expect(nearestWord("al", ["allowList"])).toBeUndefined();
  });

  it.each(["window", "", "x", "limits", "b".repeat(100_000)])(
    "does not exist for %j, which is far from all",
    (word) => {
      expect(nearestWord(word, WORDS)).toBeUndefined();
    },
  );
});
