import { trustLimitsFile } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { isEnvoyFile } from "../../src/limits/is-envoy.ts";
import { readLimitsWithoutBlocking } from "../../src/limits/read-in-thread.ts";
import { readLimitsFiles } from "../../src/limits/read-limits-files.ts";

const RULES = 1_000;

/** A file that is read in another thread, because it is long. */
function longText(rate: string): string {
  const rules = Array.from({ length: RULES }, (_, i) => `      r${i}: { by: ip, rate: ${i + 1}/1s }\n`).join("");
  return `version: 1\ndomains:\n  api:\n    limits:\n${rules}      last: { rate: ${rate} }\n`;
}

describe("limits files as one", () => {
  it("need no further check, and keep the failure policy of each file", () => {
    const domain = (name: string) => `domains: { ${name}: { limits: { all: { quota: 1/1d } } } }`;
    const { value, mistakes } = readLimitsFiles([
      { file: "a.yaml", text: `version: 1\nonFailure: deny\n${domain("a")}` },
      { file: "b.yaml", text: `version: 1\n${domain("b")}` },
      {
        file: "c.yaml",
        text: `version: 1\nonFailure: deny\n${domain("c").replace("{ limits", "{ onFailure: local, limits")}`,
      },
    ]);
    expect(mistakes).toBeUndefined();
    expect(trustLimitsFile(value!)).toBe(value);
    expect(value).not.toHaveProperty("onFailure");
    expect(Object.values(value?.domains ?? {}).map(({ onFailure }) => onFailure)).toEqual(["deny", undefined, "local"]);
  });

  it("are recognised as Envoy's by their one domain", () => {
    const isEnvoy = (text: string) => isEnvoyFile([{ file: "x.yaml", text }]);
    for (const text of [
      "domain: a\ndescriptors: []",
      '{ "domain" : "a" }',
      "'domain': a",
      "descriptors: []\ndomain: b",
    ]) {
      expect(isEnvoy(text)).toBe(true);
    }
    const rule = "version: 1\ndomains: { a: { limits: { domain: { rate: 1/1s } } } }";
    for (const text of [longText("1/1s"), rule, ""]) expect(isEnvoy(text)).toBe(false);
  });
});

describe("a long limits file", () => {
  it("is read in another thread as it is read in this one", async () => {
    const texts = [{ file: "a.yaml", text: longText("7/1m") }];
    const { value } = await readLimitsWithoutBlocking(texts);
    expect(value).toEqual(readLimitsFiles(texts).value);
    expect(Object.keys(value?.domains["api"]?.limits ?? {})).toHaveLength(RULES + 1);
    expect(trustLimitsFile(value!)).toBe(value);
  });

  it("has its mistakes with their places", async () => {
    const { mistakes } = await readLimitsWithoutBlocking([{ file: "a.yaml", text: longText("7/m") }]);
    expect(mistakes).toMatchObject([{ file: "a.yaml", line: RULES + 5, column: 21 }]);
  });
});
