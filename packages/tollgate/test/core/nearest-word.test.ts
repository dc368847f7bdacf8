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
  ])("of %s is %s", (misspelt, word) => {
    expect(nearestWord(misspelt, WORDS)).toBe(word);
  });

  it.each(["window", "", "x", "limits", "b".repeat(100_000)])(
    "does not exist for %j, which is far from all",
    (word) => {
      expect(nearestWord(word, WORDS)).toBeUndefined();
    },
  );
});
