import { describe, expect, it } from "vitest";
import { checkOptions } from "../../src/core/check-options.ts";

const NAMES = { burst: true, capacity: true, name: true } as const;
const HINTS = { limit: 'it is called "capacity" here' };

describe("the check of options", () => {
  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [null, "null"],
    [5, "5"],
    ["5/s", '"5/s"'],
    [() => {}, "a function"],
    [["burst"], "an array"],
  ])("refuses %o", (options, shown) => {
    expect(() => checkOptions("perMinute", options, NAMES)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: `perMinute: expected an object of options, got ${shown}`,
      }),
    );
  });

  it.each<[object, string]>([
    [{ burts: 3 }, '"burts"; did you mean "burst"?'],
    [{ burst: 3, Name: "a" }, '"Name"; did you mean "name"?'],
    [{ cap: 3 }, '"cap"; did you mean "capacity"?'],
    [{ limit: 3 }, '"limit"; it is called "capacity" here'],
    [{ burts: undefined }, '"burts"; did you mean "burst"?'],
    [{ zzz: 3 }, '"zzz"; expected burst, capacity, name'],
    [{ toString: 3 }, '"toString"; expected burst, capacity, name'],
    [JSON.parse('{"__proto__": 3}') as object, '"__proto__"; expected burst, capacity, name'],
  ])("refuses the unknown name in %o", (options, rest) => {
    const error = expect.objectContaining({ code: "ERR_OPTION", message: `perMinute: unknown option ${rest}` });
    expect(() => checkOptions("perMinute", options, NAMES, HINTS)).toThrow(error);
  });

  it("accepts known names and ignores inherited ones", () => {
    const options = Object.assign(Object.create({ inherited: 1 }) as object, { burst: 3, name: undefined });
    expect(() => checkOptions("perMinute", options, NAMES)).not.toThrow();
    expect(() => checkOptions("perMinute", {}, NAMES)).not.toThrow();
  });
});
