import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { deepLevelIn, isSurelyFlat } from "../../src/config/text/yaml-levels.ts";

const PIECES = ["[", "{", "]", "}", "- ", "? ", ": ", "a: ", "x", "\n", "  ", '"', "'", "|\n", "&a ", "*a", "#", ","];

/** Pieces of YAML, some of them many times. */
const texts = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(1, 1, 1, 2, 70, 300)), { maxLength: 20 })
  .map((runs) => runs.map(([piece, times]) => piece.repeat(times)).join(""));

describe("a text that is surely flat", () => {
  it("has no level that is too deep for the parser", () => {
    let flat = 0;
    fc.assert(
      fc.property(texts, (text) => {
        if (!isSurelyFlat(text)) return;
        flat += 1;
        expect(deepLevelIn(new yaml.Lexer().lex(text))).toBeUndefined();
      }),
      { numRuns: 5_000 },
    );
    expect(flat).toBeGreaterThan(100);
  });

  it.each([
    ["64 brackets", "[".repeat(64), true],
    ["65 brackets", `${"[".repeat(32)}\n${"{".repeat(33)}`, false],
    ["lines of 256 columns", `a: 1\n${" ".repeat(256)}\n`, true],
    ["a line of 257 columns", `a: 1\n${"- ".repeat(128)}-`, false],
    ["nothing", "", true],
  ])("%s", (_name, text, isFlat) => {
    expect(isSurelyFlat(text)).toBe(isFlat);
  });
});
