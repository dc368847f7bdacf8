import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { LimitsFileError } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { limitsSchema } from "../../../../tools/limits-schema.ts";
import { ShapeCheck } from "../../src/config/file/check-shape.ts";
import { Mistakes } from "../../src/config/file/mistakes.ts";
import { checkLimitsFile } from "../../src/config/file/parse-limits.ts";
import { FILE_SHAPE } from "../../src/config/file/shapes.ts";
import { damagedFileArbitrary, limitsFileArbitrary } from "./limits-file-arbitrary.ts";

const isValid = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(limitsSchema());

function fitsShape(value: unknown): boolean {
  const mistakes = new Mistakes();
  new ShapeCheck(mistakes).fit(value, FILE_SHAPE, []);
  return mistakes.count === 0;
}

function isTaken(value: unknown): boolean {
  try {
    checkLimitsFile(value);
    return true;
  } catch (error) {
    if (!(error instanceof LimitsFileError)) throw error;
    return false;
  }
}

describe("the JSON Schema of limits files", () => {
  it("accepts every file that the parser takes", () => {
    fc.assert(
      fc.property(limitsFileArbitrary(), (file) => {
        expect(isTaken(file)).toBe(true);
        expect(isValid(file) ? [] : isValid.errors).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("refuses what the parser refuses for its shape, and nothing else", () => {
    const refused = { yes: 0, no: 0 };
    fc.assert(
      fc.property(damagedFileArbitrary(), (file) => {
        const fits = fitsShape(file);
        refused[fits ? "no" : "yes"] += 1;
        expect(isValid(file)).toBe(fits);
        if (!fits) expect(isTaken(file)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(refused.yes, refused.no)).toBeGreaterThan(50);
  });
});
