import { createLimits, parseLimits } from "tollgate/config";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { refusalOf } from "./read-mistakes.ts";

const first = (text: string) => refusalOf(text, { file: "limits.yaml", yaml })?.mistakes[0]?.message;
const HEAD = "version: 1\ndomains:\n  api:\n    limits:\n";

describe("a hostile limits file", () => {
  it("cannot grow by aliases", () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`);
    expect(first(`a0: &a0 x\n${levels.join("\n")}`)).toBe("expected at most 1000000 values with aliases, got more");
  });

  it.each([
    ["flow lists", "[".repeat(100_000)],
    ["block lists", "- ".repeat(20_000)],
    ["maps", Array.from({ length: 200 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["explicit keys", "? ".repeat(2_000)],
    ["keys in one line", "a: ".repeat(2_000)],
    ["keys in brackets", `[${'"a": '.repeat(2_000)}`],
    ["keys in brackets after a comma", `{b: c, ${"a:\n".repeat(2_000)}`],
  ])("cannot end the stack by deep levels: %s", (_name, text) => {
    expect(first(text)).toBeDefined();
  });

  it("is not taken for deep because a line is long", () => {
    const addresses = Array.from({ length: 300 }, (_, i) => `"10.0.${i % 256}.0/24"`);
    const rules = addresses.map((address, i) => `"r${i}": { "match": { "ip": [${address}] }, "rate": "1/1s" }`);
    const lists = [`[${addresses.join(", ")}]`, `[ ${addresses.join(`,\n${" ".repeat(300)}`)} ]`];
    for (const list of lists) expect(first(`${HEAD}      r: { match: { ip: ${list} }, rate: 1/1s }\n`)).toBe(undefined);
    expect(first(`version: 1\ndomains: { api: { limits: { ${rules.join(", ")} } } }\n`)).toBe(undefined);
    expect(first(`${HEAD}      r: ${" ".repeat(300)}{ rate: 1/1s }${" ".repeat(300)}# far away\n`)).toBe(undefined);
  });

  it("is refused when it is too long, before it is read", () => {
    expect(first("a".repeat(10_000_000))).toBe("expected at most 5000000 characters, got 10000000");
    expect(refusalOf(`"${"a".repeat(10_000_000)}`, { file: "a.json" })).toBeDefined();
  });

  it("has names as any other in __proto__ and constructor", () => {
    const limits = createLimits(
      parseLimits(
        `${HEAD}      constructor: { by: header.x, rate: 1/1m, keys: { __proto__: deny, toString: { rate: 5/1m } } }\n`,
        { yaml },
      ),
    );
    const consume = (key: string) => limits.consume("api", { header: { x: key } });
    expect(consume("__proto__")).toMatchObject({ allowed: false, reason: "denied" });
    expect(consume("toString").remaining).toBe(4);
    expect(consume("hasOwnProperty").remaining).toBe(0);
    expect(Object.prototype).not.toHaveProperty("rate");
    expect(() => limits.consume("__proto__", {})).toThrow("expected one that the limits file has");
  });

  it.each(["9".repeat(400), "1e999", ".inf", "-.inf", ".nan", "0x10000000000000000", "1.5", "-1", "9007199254740992"])(
    "has no number that is no count: %s",
    (number) => {
      expect(first(`${HEAD}      r: { rate: 1/1s, burst: ${number} }\n`)).toContain("expected a positive whole number");
    },
  );

  it("keeps keys apart that look alike", () => {
    const file = `${HEAD}      r: { by: header.x, rate: 1/1m, keys: { 007: deny, 0x7: { rate: 9/1m }, "é": deny, "e\\u0301": { rate: 3/1m } } }\n`;
    const limits = createLimits(parseLimits(file, { yaml }));
    const remaining = (key: string) => limits.peek("api", { header: { x: key } }, 0).remaining;
    expect(["007", "7", "0x7", "é", "é".normalize("NFD")].map(remaining)).toEqual([undefined, 1, 9, undefined, 3]);
  });

  it("says line and column behind characters of two units, as editors count", () => {
    const refusal = refusalOf(`version: 1 # \u{1f600}\ndomains: { "\u{1f600}": 5 }`, { yaml });
    expect(refusal).toMatchObject({
      mistakes: [
        { line: 2, column: 12 },
        { line: 2, column: 18 },
      ],
    });
  });
});
