import fc from "fast-check";
import { createLimits, parseLimits, trustLimitsFile } from "tollgate/config";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { checkLimitsFile } from "../../src/config/file/parse-limits.ts";
import { limitsFileArbitrary } from "./limits-file-arbitrary.ts";
import { refusalOf } from "./read-mistakes.ts";

/** Marks of both languages, and texts that parsers stumble over. */
const PIECES = [
  ..."{ } [ ] : , - ? & * ! | > ' \" % @ ` # \\ / \u0000 \u007f \u0085 \u00a0 \u2028 \ufeff \ud800 \u{1f600}".split(
    " ",
  ),
  ...["\t", "\r", "\n", " ", "\r\n", "---\n", "...\n", "<<: ", "&a ", "*a", "!!str ", "? ", "- ", ": "],
  ...["null", "1e999", "0x7", "__proto__", "rate", "60/1m"],
];

const editArbitrary = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.integer({ min: 0, max: 12 }),
  insert: fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((pieces) => pieces.join("")),
});

function edited(
  text: string,
  edits: readonly { readonly at: number; readonly cut: number; readonly insert: string }[],
) {
  let all = text;
  for (const { at, cut, insert } of edits) {
    const start = Math.floor(at * all.length);
    all = all.slice(0, start) + insert + all.slice(start + cut);
  }
  return all;
}

describe("a limits file", () => {
  it("means the same in YAML, in JSON and as an object", () => {
    fc.assert(
      fc.property(limitsFileArbitrary(), fc.constantFrom(0, 1, 2), fc.boolean(), (file, indent, flow) => {
        const json = JSON.stringify(file, undefined, indent);
        const text = yaml.stringify(file, { collectionStyle: flow ? "flow" : "block", lineWidth: 60 });
        // Keys named `__proto__` are compared as text.
        const same = JSON.stringify(file);
        expect(JSON.stringify(parseLimits(json))).toBe(same);
        expect(JSON.stringify(parseLimits(text, { yaml }))).toBe(same);
        expect(JSON.stringify(checkLimitsFile(JSON.parse(json)))).toBe(same);
        expect(JSON.stringify(parseLimits(`\ufeff${text.replaceAll("\n", "\r\n")}`, { yaml }))).toBe(same);
      }),
      { numRuns: 150 },
    );
  });

  it("is taken or refused with places in the text, however it is damaged", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(
        limitsFileArbitrary(2),
        fc.constantFrom("yaml", "json"),
        fc.array(editArbitrary, { maxLength: 6 }),
        (file, language, edits) => {
          const text = edited(language === "json" ? JSON.stringify(file, undefined, 1) : yaml.stringify(file), edits);
          const options = { file: `limits.${language}`, yaml };
          const refusal = refusalOf(text, options);
          seen[refusal === undefined ? "taken" : "refused"] += 1;
          if (refusal === undefined) {
            const limits = createLimits(parseLimits(text, options));
            limits.explain(limits.domains[0]!, { ip: "192.0.2.1", path: "/a", header: { "x-a": "a" } });
            limits.close();
            return;
          }
          const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
          expect(refusal.mistakes.length).toBeGreaterThan(0);
          for (const { line = 0, column = 0, message } of refusal.mistakes) {
            expect(line).toBeGreaterThan(0);
            expect(line).toBeLessThanOrEqual(lines.length);
            expect(column).toBeGreaterThan(0);
            expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 2);
            expect(message).toContain("expected");
          }
        },
      ),
      { numRuns: 800 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(20);
  });

  it("may come from another thread: a copy is checked again", () => {
    const file = parseLimits('{"version":1,"domains":{"a":{"limits":{"r":{"rate":"2/1m"}}}}}');
    const copy = structuredClone(file);
    expect(createLimits(copy).consume("a", {}).remaining).toBe(1);
    expect(checkLimitsFile(file)).toBe(file);
    expect(checkLimitsFile(copy)).not.toBe(copy);
    const trusted = trustLimitsFile(copy);
    expect(checkLimitsFile(trusted)).toBe(trusted);
    expect(trustLimitsFile(file)).toBe(file);
    expect(() => createLimits({ ...copy, domains: {} })).toThrow("limits: domains: expected domains by name");
    expect(Object.isFrozen(file.domains["a"]?.limits["r"])).toBe(true);
  });

  it("has positions in text alone", () => {
    const cycle: Record<string, unknown> = { version: 1 };
    cycle["domains"] = cycle;
    expect(() => checkLimitsFile(cycle)).toThrow("limits: domains.domains: expected");
    expect(() => checkLimitsFile({ version: 1, domains: () => 5 })).toThrow("got a function");
  });
});
