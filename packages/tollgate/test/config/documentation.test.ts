import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import * as functions from "tollgate";
import { createLimits, parseLimits } from "tollgate/config";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { blocksOf } from "../../../../test/examples/code-blocks.ts";
import type { Shape } from "../../src/config/file/shape.ts";
import { FILE_SHAPE } from "../../src/config/file/shapes.ts";
import { readMistakes } from "./read-mistakes.ts";

const PAGE = "docs/limits-file.md";
const text = readFileSync(new URL(`../../../../${PAGE}`, import.meta.url), "utf8");
const blocks = blocksOf(PAGE).filter(({ language }) => language === "yaml");

const mistakesOf = (file: string): readonly string[] => readMistakes(file, { file: "limits.yaml", yaml });

/** All words of a shape and of the shapes in it. */
function wordsOf({ properties = {}, additionalProperties, items, anyOf = [] }: Shape): readonly string[] {
  const others = additionalProperties === false ? [] : (additionalProperties ?? []);
  const within = [...Object.values(properties), others, items ?? [], anyOf].flat();
  return [...Object.keys(properties), ...within.flatMap(wordsOf)];
}

describe("the page of limits files", () => {
  it.each(blocks.filter(({ code }) => code.startsWith("version:")))("has files that are right: $place", ({ code }) => {
    expect(mistakesOf(code)).toEqual([]);
  });

  it("has costs that are right", () => {
    const lines = blocks.flatMap(({ code }) => code.split("\n")).filter((line) => line.startsWith("cost: "));
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const rule = `rate: { requests: 9/1s, tokens: 9/1s }, ${line}`;
      expect(mistakesOf(`version: 1\ndomains: { api: { limits: { r: { ${rule} } } } }`)).toEqual([]);
    }
  });

  it("maps each word for a limit to the function that makes the same limit", () => {
    const rows = [...text.matchAll(/^\| `(\w+)` \| [^|]+ \| `([^`]+)` \| `(\w+\(.+\))` \|$/gm)];
    expect(rows.map(([, word]) => word)).toEqual(["rate", "burst", "within", "quota", "inflight"]);
    for (const [, word, amount, code] of rows) {
      const rule = word === "burst" ? `rate: 60/1m, burst: ${amount}` : `${word}: ${amount}`;
      const file = parseLimits(`version: 1\ndomains: { a: { limits: { r: { ${rule} } } } }`, { yaml });
      const [limit] = createLimits(file).limiter("a").peek({}).limits;
      expect({ ...limit, name: "" }).toEqual({ ...runInNewContext(code!, { ...functions }), name: "" });
    }
  });

  it("names every word of the format", () => {
    // The longer forms of `blockFor` have a page of their own, and editors write `$schema`.
    const elsewhere = new Set(["duration", "extend", "durations", "forgetAfter", "$schema"]);
    const words = new Set(wordsOf(FILE_SHAPE));
    expect([...words].filter((word) => !(elsewhere.has(word) || new RegExp(`\\b${word}\\b`).test(text)))).toEqual([]);
  });
});
