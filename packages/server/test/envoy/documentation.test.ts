import { readFileSync } from "node:fs";
import { parseLimits } from "tollgate/config";
import { expect, it } from "vitest";
import * as yaml from "yaml";
import { HELP } from "../../src/command/help.ts";
import { configurationLines } from "../../src/envoy/configuration-lines.ts";
import { configurationOf } from "./configurations.ts";

function pageOf(service: string): string {
  return readFileSync(new URL(`../../../../docs/from-${service}.md`, import.meta.url), "utf8");
}

it("docs/from-envoy-ratelimit.md shows a configuration without a mistake", () => {
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(pageOf("envoy-ratelimit")) ?? [];
  const configuration = configurationOf(text);
  expect(configurationLines(configuration).split("\n")).toHaveLength(8);
  const match = (...values: string[]) =>
    configuration.get("edge")?.match(values.map((value) => ({ key: "remote_address", value })))?.rule.requestsPerUnit;
  expect(["203.0.113.1", "192.0.2.9", "198.51.100.7"].map((address) => match(address))).toEqual([100, 1000, 500]);
});

it("docs/from-limitador.md shows a limits file and rules without a mistake", () => {
  const page = pageOf("limitador");
  const [, text = ""] = /```yaml\n(version: 1\n[\s\S]*?)```/.exec(page) ?? [];
  const rules = [...page.matchAll(/`((?:quota|within|rate): \S+|match: .+?|by: .+?)`/g)].map(([, rule = ""]) => rule);
  expect(rules).toHaveLength(5);
  const files = rules.map((rule) => {
    const limit = /^(?:match|by)/.test(rule) ? `${rule}, rate: 1/1s` : rule;
    return `version: 1\ndomains: { edge: { limits: { posts: { ${limit} } } } }`;
  });
  for (const file of [text, ...files]) expect(() => parseLimits(file, { yaml })).not.toThrow();
});

it.each(["envoy-ratelimit", "limitador"])("docs/from-%s.md names flags that there are", (service) => {
  const flags = pageOf(service).match(/--[a-z][a-z-]+/g) ?? [];
  expect(flags.length).toBeGreaterThan(5);
  expect(flags.filter((flag) => !(HELP.includes(`${flag} `) || flag.startsWith("--request")))).toEqual([]);
});
