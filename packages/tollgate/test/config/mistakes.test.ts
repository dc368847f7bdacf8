import { LimitsFileError, type ParseOptions, parseLimits } from "tollgate/config";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { readMistakes, refusalOf } from "./read-mistakes.ts";

const YAML: ParseOptions = { file: "limits.yaml", yaml };

const mistakesOf = (text: string, options: ParseOptions = YAML) => readMistakes(text, options);

/** A file with one rule, whose first word is in column 11 of line 5. */
const ruleFile = (rule: string) => `version: 1\ndomains:\n  api:\n    limits:\n      key: { ${rule} }\n`;
const RULE = "domains.api.limits.key";

const RULES: readonly (readonly [rule: string, column: number, message: string])[] = [
  ["by: ip", 12, ": expected a limit (rate, within, quota or inflight) or the word limit, got a rule without"],
  ["rate: 60", 20, ".rate: expected an amount such as 60/1m, a list of them, or amounts per unit, got 60"],
  ["rate: 0/1m", 20, '.rate: expected a count and a duration, such as 60/1m or 0.5/1s, got "0/1m"'],
  ["quota: 0.5/1m", 21, ".quota: expected a count and a duration, or a day, week, month or year, such as 10000/1d"],
  ["quota: 9/month in Nowhere", 21, ".quota: timeZone: expected a zone that this runtime knows"],
  ["rate: [60/1m, 5]", 28, ".rate[1]: expected a count and a duration, such as 60/1m or 0.5/1s, got 5"],
  [
    "rate: 60/1m, burts: 5",
    27,
    ': expected one of the words match, by, rate, burst, within, quota, inflight, limit, plans, keys, cost, mode …, got "burts"; did you mean "burst"?',
  ],
  [
    "rate: 60/1m, maxWait: 2s",
    27,
    ': expected one of the words match, by, rate, burst, within, quota, inflight, limit, plans, keys, cost, mode …, got "maxWait"; write rateLimit({ limiter, maxWait: "2s" }) in the program, as all rules of a domain wait together',
  ],
  ["rate: 60/1m, onFailure: { nodes: 0 }", 47, ".onFailure.nodes: expected a positive whole number, got 0"],
  ["rate: 60/1m, burst: 0", 34, ".burst: expected a positive whole number, got 0"],
  ["quota: 60/1m, burst: 5", 35, ".burst: expected a rate beside it, got a burst without"],
  ["rate: 5/1s, burst: { tokens: 5 }", 43, '.burst.tokens: expected one rate for it, got 0 rates of "tokens"'],
  [
    "rate: 9007199254740991/1s",
    20,
    ".rate: refill: expected at most 9 units per microsecond, got 9007199254740991 in 1000000 µs; count in larger units (kilobytes instead of bytes)",
  ],
  [
    "rate: { concurrent-requests: 5/1s }",
    22,
    '.rate: expected a name of a unit, other than concurrent-requests, which inflight counts, got "concurrent-requests"',
  ],
  ["inflight: { max: 5 }", 24, '.inflight: expected the word "ttl", got a map without it'],
  [
    "by: ipp, rate: 1/1s",
    18,
    '.by: expected a fact: ip, method, path, host, header.NAME, query.NAME, cookie.NAME, descriptor.KEY or a key of match.descriptor, got "ipp"; did you mean "ip"?',
  ],
  ["by: [ip, ip], rate: 1/1s", 23, '.by[1]: expected facts that differ, got "ip" again'],
  [
    "match: { path: login }, rate: 1/1s",
    29,
    '.match.path: expected a path such as /v1/*/items or /v1/**, with wildcards for whole segments, got "login"',
  ],
  [
    "match: { method: post }, rate: 1/1s",
    31,
    '.match.method: expected a method in upper case, such as GET, got "post"',
  ],
  [
    "match: { ip: [10.0.0.1, 10.0.0.0/33] }, rate: 1/1s",
    38,
    '.match.ip[1]: expected addresses, CIDR blocks, "loopback" or "private", got "10.0.0.0/33"',
  ],
  ["limit: deni", 21, '.limit: expected unlimited or deny, got "deni"; did you mean "deny"?'],
  ["limit: deny, rate: 1/1s", 21, '.limit: expected no word limit beside rate, got "deny"'],
  [
    "by: ip, rate: 1/1s, plans: { from: header.x-plan, is: { pro: deny } }",
    49,
    '.plans.from: expected a header that trustedHeaders names, got "header.x-plan"; clients choose their headers: name it there if a proxy in front sets or deletes it',
  ],
  [
    "by: ip, rate: 1/1s, plans: { from: host, is: { a: { burst: 5 } } }",
    64,
    ".plans.is.a: expected a limit: rate, within, quota or inflight, got a map without",
  ],
  ["rate: 1/1s, keys: { a: deny }", 32, ".keys: expected keys of a rule with one fact in by, got 0 facts"],
  [
    'by: ip, rate: 1/1s, keys: { "::1": deny, "::2": deny }',
    62,
    '.keys.::2: expected every address once, got "::/64" again',
  ],
  [
    "rate: 1/1s, cost: { tokens: 5 }",
    42,
    '.cost.tokens: expected a unit that the rule counts (requests), got "tokens"',
  ],
  ["rate: 1/1s, mode: shado", 32, '.mode: expected enforce or shadow or off, got "shado"; did you mean "shadow"?'],
  [
    "rate: 1/1s, mode: shadow, blockFor: 1m",
    50,
    '.blockFor: expected mode: "enforce", because a shadow limit denies nothing, got "shadow"',
  ],
  ["rate: 1/1s, blockFor: { durations: [1s] }", 36, ".blockFor: blockFor.forgetAfter: expected milliseconds or text"],
];

const TEXTS: readonly (readonly [text: string, mistake: string])[] = [
  ["", "limits.yaml:1:1: expected version and domains, got nothing"],
  ["version: 2\ndomains: { a: { limits: { b: { rate: 1/1s } } } }", "limits.yaml:1:10: version: expected 1, got 2"],
  ["version: 1\ndomains: {}", "limits.yaml:2:10: domains: expected domains by name, got an empty map"],
  ["\ufeffversion: 1\ndomains: 5", "limits.yaml:2:10: domains: expected domains by name, got 5"],
  ["version: 1\n\tdomains: 5", "limits.yaml:2:1: expected YAML: Tabs are not allowed as indentation"],
  ["version: 1\nversion: 1\ndomains: 5", 'limits.yaml:2:1: expected every word once, got "version" again'],
  [
    "version: 1\n---\nversion: 1\n",
    "limits.yaml:2:1: expected YAML: Source contains multiple documents; please use YAML.parseAllDocuments()",
  ],
  ["a: &a [*a]", "limits.yaml:1:7: expected at most 32 levels, got more"],
  ["a: *b", "limits.yaml:1:4: a: expected an alias of an anchor above it, got *b"],
  [
    "a: *",
    'limits.yaml:1:4: expected YAML: Alias cannot be an empty string; write a text that begins with * in quotes, such as "*"',
  ],
  ["a: !set {}\n", "limits.yaml:1:4: expected YAML: Unresolved tag: !set"],
];

describe("a mistake in a limits file", () => {
  it.each(RULES)("has its place and says what was expected, in the rule: %s", (rule, column, message) => {
    const mistakes = mistakesOf(ruleFile(rule));
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(`limits.yaml:5:${column}: ${RULE}${message}`);
  });

  it.each(TEXTS)("has its place in the text: %j", (text, mistake) => {
    expect(mistakesOf(text)).toContain(mistake);
  });

  it("is reported with all others, in the order of the file", () => {
    const text = `version: 1
trusted: [x]
domains:
  api:
    limits:
      one: { match: { pth: /a }, by: ipp, rate: 5 }
      two: { quota: 1/1x, plans: { from: header.plan, is: { a: { rate: 1 } } } }
`;
    expect(mistakesOf(text).map((mistake) => mistake.split(": ", 2).join(": ").slice(0, 60))).toEqual([
      "limits.yaml:2:1: expected one of the words $schema, version,",
      "limits.yaml:6:23: domains.api.limits.one.match",
      "limits.yaml:6:38: domains.api.limits.one.by",
      "limits.yaml:6:49: domains.api.limits.one.rate",
      "limits.yaml:7:21: domains.api.limits.two.quota",
      "limits.yaml:7:42: domains.api.limits.two.plans.from",
      "limits.yaml:7:72: domains.api.limits.two.plans.is.a.rate",
    ]);
  });

  it("is one of at most a hundred that are reported", () => {
    const rules = Array.from({ length: 5_000 }, (_, i) => `      r${i}: 5`).join("\n");
    const mistakes = mistakesOf(`version: 1\ndomains:\n  api:\n    limits:\n${rules}\n`);
    expect(mistakes).toHaveLength(101);
    expect(mistakes[100]).toBe("limits.yaml:104:12: expected no more mistakes, got 4900");
  });

  it("is thrown as one error with a code", () => {
    const error = refusalOf("version: 1", YAML);
    expect(error).toBeInstanceOf(LimitsFileError);
    expect(error).toMatchObject({
      code: "ERR_FILE",
      message: 'limits.yaml:1:1: expected the word "domains", got a map without it',
      mistakes: [{ file: "limits.yaml", line: 1, column: 1, path: "" }],
    });
  });
});

describe("JSON", () => {
  const JSON_FILE: ParseOptions = { file: "limits.json", yaml };
  const WRONG = `{
  "version": 1,
  "domains": { "api": { "limits": { "one": { "by": "ipp", "rate": 5 }, "one": { "rate": "1/1s", "x": 1 } } } }
}`;

  it("has the mistakes of YAML, with their places", () => {
    const mistakes = mistakesOf(WRONG, JSON_FILE);
    expect(mistakes.map((mistake) => mistake.slice(0, 70))).toEqual([
      'limits.json:3:72: domains.api.limits: expected every word once, got "o',
      "limits.json:3:97: domains.api.limits.one: expected one of the words ma",
    ]);
  });

  it("has mistakes without places if the package yaml is not passed", () => {
    const mistakes = mistakesOf(WRONG, { file: "limits.json" });
    expect(mistakes.map((mistake) => mistake.slice(0, 56))).toEqual([
      "limits.json:1:1: expected every word once, got one again",
      "limits.json: domains.api.limits.one: expected one of the",
    ]);
  });

  it.each([
    ['{"version": 1,}', "1:15: expected JSON: Expected double-quoted property name in JSON"],
    ["{} {}", "1:4: expected JSON: Unexpected non-whitespace character after JSON"],
    ['{"a":\n[1 2]}', "2:4: expected JSON: "],
    ['{"a": nul}', "1:1: expected JSON: Unexpected token '}'"],
    ["[".repeat(100), "1:33: expected at most 32 levels, got more"],
    ["", "1:1: expected JSON: Unexpected end of JSON input"],
  ])("that is not well-formed has one mistake, with its place where the engine tells it: %j", (text, mistake) => {
    const mistakes = mistakesOf(text, JSON_FILE);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(`limits.json:${mistake}`);
  });

  it("is read without the package yaml, and YAML is not", () => {
    const text = JSON.stringify({ version: 1, domains: { a: { limits: { b: { rate: "1/1s" } } } } }, undefined, 2);
    expect(parseLimits(text, { yaml })).toEqual(parseLimits(text));
    expect(() => parseLimits("version: 1")).toThrow("npm install yaml");
  });
});
