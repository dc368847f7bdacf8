import { describe, expect, it } from "vitest";
import { compileWords, readWords } from "../../src/envoy/configuration.ts";
import { configurationLines } from "../../src/envoy/configuration-lines.ts";
import type { FileText } from "../../src/files/read-texts.ts";
import { readWithoutBlocking } from "../../src/limits/in-thread.ts";

const RULES = 1_000;
const THREAD = new URL("../../dist/envoy/parse-thread.js", import.meta.url);
const read = (texts: readonly FileText[]) => readWithoutBlocking(texts, readWords, THREAD);

/** All that descriptors may have, and so many of them that a thread reads them. */
function longText(quota: number, domain = "api"): string {
  const many = Array.from(
    { length: RULES },
    (_, i) => `  - { key: path, value: "/${i}", rate_limit: { unit: day, requests_per_unit: ${i} } }\n`,
  );
  return `domain: ${domain}
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: ${quota}, name: user } }
  - key: tenant
    value: acme
    descriptors:
      - { key: path, value: "/a*", share_threshold: true, rate_limit: { unit: hour, requests_per_unit: 3 } }
      - { key: path, value: "/a*b", shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 4 } }
      - key: path
        quota_mode: true
        metadata: { team: [a, { b: 1 }] }
        rate_limit: { unit: second, requests_per_unit: 5, name: path, replaces: [{ name: user }] }
        descriptors: [{ key: method, rate_limit: { unlimited: true } }]
${many.join("")}`;
}

describe("long files of Envoy's service", () => {
  it("are read in another thread as they are read in this one", async () => {
    const texts = ["api", "edge"].map((name) => ({ file: `${name}.yaml`, text: longText(7, name) }));
    const reading = read(texts);
    expect(reading).toBeInstanceOf(Promise);
    const { value = [] } = await reading;
    expect(value).toEqual(readWords(texts).value);
    expect(configurationLines(compileWords(value)).split("\n")).toHaveLength(2 * (RULES + 5) + 1);
  });
});
