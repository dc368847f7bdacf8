import { readFileSync } from "node:fs";
import { memoryStore } from "tollgate";
import { createLimits, parseLimits } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { HELP } from "../../src/command/help.ts";
import { configurationLines } from "../../src/envoy/configuration-lines.ts";
import { LimitsDecider } from "../../src/envoy/limits-decider.ts";
import { OK } from "../../src/envoy/messages.ts";
import type { RateLimitDecider } from "../../src/envoy/rate-limit-decider.ts";
import { RateLimits } from "../../src/envoy/rate-limits.ts";
import { configurationOf } from "./configurations.ts";

function pageOf(service: string): string {
  return readFileSync(new URL(`../../../../docs/from-${service}.md`, import.meta.url), "utf8");
}

/** How many of the calls with a descriptor such as `a=1 b=2` a decider admits. */
function admitting(decider: RateLimitDecider, domain = "edge") {
  return async (text: string, calls: number): Promise<number> => {
    const entries = text.split(" ").map((part) => ({ key: part.split("=")[0]!, value: part.split("=")[1]! }));
    let admitted = 0;
    for (let i = 0; i < calls; i += 1) {
      const descriptors = [{ entries, isNegativeHits: false }];
      if ((await decider.decide({ domain, hitsAddend: 0, descriptors })).overallCode === OK) admitted += 1;
    }
    return admitted;
  };
}

describe("docs/from-envoy-ratelimit.md", () => {
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(pageOf("envoy-ratelimit")) ?? [];
  const limitsOf = (file: string) =>
    new RateLimits({
      store: memoryStore(),
      clock: manualClock(0),
      configuration: configurationOf(file),
      shadow: false,
    });

  it("shows a configuration that does what its comments say", async () => {
    const admitted = admitting(limitsOf(text));
    for (const [descriptor, calls, count] of [
      ["remote_address=203.0.113.1", 101, 100],
      ["remote_address=192.0.2.9", 1_001, 1_000],
      ["remote_address=198.51.100.7", 300, 300],
      ["remote_address=198.51.100.8", 300, 200],
      ["plan=free user=ann", 51, 50],
      ["plan=staff", 2_000, 2_000],
      ["path=/new/home", 21, 21],
      ["path=/old", 21, 21],
    ] as const)
      expect([descriptor, await admitted(descriptor, calls)]).toEqual([descriptor, count]);
    expect(configurationLines(configurationOf(text)).split("\n")).toHaveLength(8);
  });

  it("lets a trial replace the free plan, and keys that look alike count for themselves", async () => {
    const limits = limitsOf(text);
    const entries = [
      [
        { key: "plan", value: "free" },
        { key: "user", value: "ann" },
      ],
      [{ key: "trial", value: "t" }],
    ];
    const descriptors = entries.map((all) => ({ entries: all, isNegativeHits: false }));
    const ask = () => limits.decide({ domain: "edge", hitsAddend: 0, descriptors });
    expect(
      (await Promise.all(Array.from({ length: 60 }, ask))).filter(({ overallCode }) => overallCode === OK),
    ).toHaveLength(60);
    expect(await admitting(limits)("plan=free user=ann", 51)).toBe(50);

    const one = "rate_limit: { unit: day, requests_per_unit: 1 }";
    const alike = admitting(
      limitsOf(`domain: edge\ndescriptors: [{ key: a, ${one} }, { key: a_b, ${one} }, { key: "f*", ${one} }]`),
    );
    expect([await alike("a=b_c", 2), await alike("a_b=c", 2), await alike("foo=x", 2), await alike("a=", 2)]).toEqual([
      1, 1, 2, 1,
    ]);
  });
});

it("docs/from-limitador.md shows a limits file and rules without a mistake", async () => {
  const page = pageOf("limitador");
  const [, text = ""] = /```yaml\n(version: 1\n[\s\S]*?)```/.exec(page) ?? [];
  const rules = [...page.matchAll(/`((?:quota|within|rate): \S+|match: .+?|by: .+?)`/g)].map(([, rule = ""]) => rule);
  expect(rules).toHaveLength(5);
  const files = rules.map((rule) => {
    const limit = /^(?:match|by)/.test(rule) ? `${rule}, rate: 1/1s` : rule;
    return `version: 1\ndomains: { edge: { limits: { posts: { ${limit} } } } }`;
  });
  for (const file of files) expect(() => parseLimits(file, { yaml })).not.toThrow();

  const limits = createLimits(parseLimits(text, { yaml }), { clock: manualClock(0) });
  const admitted = admitting(new LimitsDecider(limits));
  expect(await admitted("req.method=POST user_id=ann", 11)).toBe(10);
  expect([await admitted("req.method=POST user_id=bob", 1), await admitted("req.method=GET user_id=ann", 11)]).toEqual([
    1, 11,
  ]);
});

it.each(["envoy-ratelimit", "limitador"])("docs/from-%s.md names flags that there are", (service) => {
  const flags = pageOf(service).match(/--[a-z][a-z-]+/g) ?? [];
  expect(flags.length).toBeGreaterThan(5);
  expect(flags.filter((flag) => !(HELP.includes(`${flag} `) || flag.startsWith("--request")))).toEqual([]);
});
