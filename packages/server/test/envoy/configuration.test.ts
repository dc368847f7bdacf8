import { describe, expect, it } from "vitest";
import { configurationLines } from "../../src/envoy/configuration-lines.ts";
import { isEnvoyFile } from "../../src/limits/is-envoy.ts";
import { configurationOf, mistakesOf } from "./configurations.ts";

describe("a configuration of Envoy's service", () => {
  it("has a limit for each rate_limit of the tree", () => {
    const configuration = configurationOf(`
domain: messaging
descriptors:
  - key: message_type
    value: marketing
    descriptors:
      - key: to_number
        rate_limit: { unit: day, requests_per_unit: 5 }
  - key: to_number
    rate_limit: { unit: DAY, requests_per_unit: 100 }
  - key: staff
    rate_limit: { unlimited: true }
  - key: denied
    shadow_mode: true
    rate_limit: { unit: week }
  - { key: generic_key, value: login, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: remote_address, value: 192.0.2.1, rate_limit: { unit: day, requests_per_unit: 1 } }
`);
    expect(configurationLines(configuration)).toBe(
      // printf %s marketing | sha256sum: a value of a client may be a secret.
      "messaging.message_type_key-e2a530e251d3.to_number: unit=DAY requests_per_unit=5, shadow_mode: false\n" +
        "messaging.to_number: unit=DAY requests_per_unit=100, shadow_mode: false\n" +
        "messaging.staff: unlimited, shadow_mode: false\n" +
        "messaging.denied: unit=WEEK requests_per_unit=0, shadow_mode: true\n" +
        "messaging.generic_key_login: unit=DAY requests_per_unit=1, shadow_mode: false\n" +
        "messaging.remote_address_192.0.2.1: unit=DAY requests_per_unit=1, shadow_mode: false\n",
    );
  });

  it("may be JSON, and may have anchors and merges", () => {
    expect(configurationOf('{"domain":"a","descriptors":[{"key":"k"}]}').has("a")).toBe(true);
    const merged = configurationOf(`
domain: a
descriptors:
  - &first { key: one, rate_limit: &limit { unit: second, requests_per_unit: 7 } }
  - { key: two, rate_limit: *limit }
  - { <<: *first, key: three }
`);
    expect(configurationLines(merged).match(/requests_per_unit=7/g)).toHaveLength(3);
  });

  it("reads values as the text of the file, whatever YAML takes them for", () => {
    const configuration = configurationOf(
      "{domain: a, descriptors: [{key: k, value: 0x10, rate_limit: {unit: day, requests_per_unit: 1}}]}",
    );
    const [tree] = configuration.values();
    expect(tree?.match([{ key: "k", value: "0x10" }])).toBeDefined();
    expect(tree?.match([{ key: "k", value: "16" }])).toBeUndefined();
  });

  it("reads several files, each with a domain of its own", () => {
    const texts = ["domain: a\ndescriptors: []", "domain: b"] as const;
    expect([...configurationOf(...texts).keys()]).toEqual(["a", "b"]);
    expect(mistakesOf(...texts, "domain: a")).toEqual([
      'limits-2.yaml:1:9: domain: expected a domain that limits-0.yaml does not have, got "a"',
    ]);
  });
});

describe("a mistake of a configuration", () => {
  it.each([
    ["", "limits-0.yaml:1:1: expected an object, got null"],
    ['domain: ""', 'limits-0.yaml:1:9: domain: expected a text that is not empty, got ""'],
    ["domain: a\nlimits: 1", 'limits-0.yaml:2:1: expected only domain, descriptors, got "limits"'],
    ["domain: a\ndescriptors: [{value: x}]", "limits-0.yaml:2:15: descriptors[0].key: expected a text, got nothing"],
    ["domain: a\ndomain: b", 'limits-0.yaml:2:1: expected every word once, got "domain" again'],
  ])("in %j is told with its place", (text, line) => {
    expect(mistakesOf(text)).toEqual([line]);
  });

  it.each([
    [
      "unit: fortnight, requests_per_unit: 1",
      '.unit: expected one of second, minute, hour, day, month, year, week, got "fortnight"',
    ],
    ["requests_per_unit: 1", ": expected a unit or unlimited: true, got"],
    ["unit: day, requests_per_unit: -1", '.requests_per_unit: expected a whole number from 0 to 4294967295, got "-1"'],
    ["unit: day, unlimited: true", '.unit: expected no unit beside unlimited: true, got "day"'],
    ["unlimited: yes please", '.unlimited: expected true or false, got "yes please"'],
    ["unit: day, name: a, replaces: [{name: a}]", '.replaces[0]: expected the name of another rate_limit, got "a"'],
    ["unit: day, replaces: [{}]", ".replaces[0].name: expected a text, got nothing"],
  ])("in a rate_limit of %s is told", (rateLimit, message) => {
    const mistakes = mistakesOf(`domain: a\ndescriptors:\n  - {key: k, rate_limit: {${rateLimit}}}`);
    expect(mistakes).toEqual([expect.stringMatching(/^limits-0\.yaml:3:\d+: descriptors\[0\]\.rate_limit/)]);
    expect(mistakes[0]).toContain(message);
  });

  it("of a descriptor is told: two alike, and a share_threshold without a wildcard", () => {
    expect(mistakesOf("domain: a\ndescriptors:\n  - {key: k, value: v}\n  - {key: k, value: v}\n")).toEqual([
      'limits-0.yaml:4:5: descriptors[1]: expected another key or value than a descriptor before, got {"key":"k","value":"v"}',
    ]);
    expect(mistakesOf("domain: a\ndescriptors:\n  - {key: k, value: v, share_threshold: true}\n")).toHaveLength(1);
  });

  it("leaves nothing of any file, and all mistakes are told at once", () => {
    const mistakes = mistakesOf("domain: a", "domain: b\ndescriptors: [{}, {}, {key: k, value: []}]");
    expect(mistakes).toHaveLength(3);
  });
});

describe("a file that means harm", () => {
  it("has bounded depth", () => {
    const deep = `domain: a\ndescriptors: ${"[{key: k, descriptors: ".repeat(80)}[]${"}]".repeat(80)}`;
    expect(mistakesOf(deep).join()).toContain("expected at most 136 levels");
  });

  it.each([
    ["lists", `domain: a\ndescriptors: ${"[".repeat(100_000)}`],
    ["mappings", `domain: a\ndescriptors: ${"{a: ".repeat(50_000)}`],
    ["lists in blocks", `domain: a\ndescriptors:\n  ${"- ".repeat(50_000)}`],
  ])("is refused before it is parsed, if it is deep: %s", (_, text) => {
    expect(mistakesOf(text)).toEqual([
      expect.stringMatching(/^limits-0\.yaml:[23]:\d+: expected at most 136 levels, got more$/),
    ]);
    expect(isEnvoyFile([{ file: "a", text }])).toBe(false);
  });

  it("cannot multiply itself by aliases", () => {
    const bomb = ["a: &l0 [{key: k}]"];
    for (let i = 1; i < 12; i += 1) bomb.push(`b${i}: &l${i} [${`{key: k, descriptors: *l${i - 1}},`.repeat(9)}]`);
    expect(mistakesOf(`domain: a\ndescriptors: []\n${bomb.join("\n")}`)).not.toEqual([]);
    const nested = "domain: a\ndescriptors: &x [{key: k, descriptors: *x}]";
    expect(mistakesOf(nested)).not.toEqual([]);
    expect(mistakesOf("domain: a\ndescriptors: [&x {<<: *x, key: k}]").join()).toContain("at most 136 levels");
  });

  it("cannot reach a prototype", () => {
    const configuration = configurationOf(
      "domain: __proto__\ndescriptors: [{key: constructor, value: __proto__, rate_limit: {unit: day}}]",
    );
    expect(configuration.get("__proto__")?.match([{ key: "constructor", value: "__proto__" }])).toBeDefined();
    expect(configuration.get("__proto__")?.match([{ key: "toString", value: "" }])).toBeUndefined();
  });
});
