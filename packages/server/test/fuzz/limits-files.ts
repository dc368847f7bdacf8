import { mutateBytes, withOddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";

/** Limits files that use what a file can have. They are in force at the beginning and at the end. */
export const TEXTS = {
  limits: `version: 1
trustedHeaders: [x-plan]
domains:
  api:
    ignoreCase: true
    limits:
      client: { by: ip, rate: 1000/1s, burst: 2000, quota: 100000/1d }
      login: { match: { method: POST, path: /login }, by: ip, within: [5/15m, 20/1h], blockFor: 10m }
      key:
        match: { path: /v1/** }
        by: header.x-api-key
        rate: &amount 600/1m
        plans: { from: header.x-plan, is: { pro: { rate: 6000/1m }, staff: unlimited } }
        keys: { acme: { rate: 50000/1m }, leaked: deny }
      llm:
        match: { path: /v1/chat }
        by: [header.x-api-key, ip]
        rate: { requests: *amount, tokens: 100000/1m }
        cost: { tokens: { from: header.x-estimated-tokens, otherwise: 500 } }
        mode: shadow
      export: { match: { path: /export, query.deep: "1" }, by: ip, inflight: { max: 10, ttl: 30s } }
      bots: { match: { header.user-agent: "*bot*", ip: [private, 203.0.113.0/24] }, quota: 1000/1h }
  edge:
    limits:
      address:
        match: { descriptor: { generic_key: public, remote_address: "*" } }
        by: remote_address
        quota: 100/1m
`,
  envoy: `domain: edge
descriptors:
  - &base
    key: generic_key
    value: public
    rate_limit: { unit: minute, requests_per_unit: 1000, name: public }
    descriptors:
      - { key: remote_address, rate_limit: { unit: second, requests_per_unit: 10, replaces: [{ name: public }] } }
  - { <<: *base, key: client, shadow_mode: true, detailed_metric: true }
  - key: path
    value: /v1/*
    share_threshold: true
    quota_mode: true
    rate_limit: { unit: hour, requests_per_unit: 50 }
  - { key: remote_address, rate_limit: { unlimited: true }, metadata: { owner: [a, 1, true, null] } }
`,
} as const;

/** What begins, ends or changes something in YAML. */
const YAML_WORDS = [
  "&a ",
  "*a",
  "<<: *base",
  "!!binary ",
  "? ",
  "- - - ",
  "| ",
  "---\n",
  "{{{{",
  "]",
  "\t",
  "'",
] as const;

/** A text for a limits file: a valid one, a changed one, or one that no person writes. */
export function limitsText(random: Random, files: keyof typeof TEXTS): Buffer {
  const base = TEXTS[files];
  switch (random.below(7)) {
    case 0:
      return Buffer.from(base);
    case 1:
      return mutateBytes(random, Buffer.from(base));
    case 2:
      return Buffer.from(withOddValue(random, base));
    case 3:
      return Buffer.from(`version: 1\ndomains: ${random.pick(["[", "{a: ", "- ", "? "]).repeat(random.size(30_000))}`);
    case 4:
      return Buffer.from(large(random, files));
    case 5:
      return Buffer.from(withAliases(random, base));
    default:
      return Buffer.from(withChangedLines(random, base));
  }
}

function withChangedLines(random: Random, text: string): string {
  const lines = text.split("\n");
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    const at = random.below(lines.length);
    const line = lines[at] ?? "";
    const odd = [[], [line, line], [`  ${line}`], [line.trim()], [`${line} ${random.pick(YAML_WORDS)}`]];
    lines.splice(at, 1, ...random.pick([...odd, [random.pick(YAML_WORDS), line], [random.pick(lines)]]));
  }
  return lines.join("\n");
}

function large(random: Random, files: keyof typeof TEXTS): string {
  const isEnvoy = files === "envoy";
  const rules = random.list(random.size(1_000), () => {
    const number = random.bits();
    return isEnvoy
      ? `  - { key: path, value: "v${number}*", rate_limit: { unit: hour, requests_per_unit: 9 } }\n`
      : `      r${number}: { by: ip, match: { path: "/${number % 99}/**", method: GET }, rate: 9/1s }\n`;
  });
  return (isEnvoy ? "domain: edge\ndescriptors:\n" : "version: 1\ndomains:\n  api:\n    limits:\n") + rules.join("");
}

/** Lists of aliases of lists of aliases: few bytes that are many nodes, or that contain themselves. */
function withAliases(random: Random, text: string): string {
  const levels = random.between(1, 12);
  const lines = Array.from(
    { length: levels },
    (_, i) => `l${i}: &l${i} [${`*l${i - 1}, `.repeat(i === 0 ? 0 : 9)}x]\n`,
  );
  const used = text.replace(/descriptors:\n|limits:\n/, (word) => `${word.trimEnd()} *l${levels - 1}\n`);
  return `${lines.join("")}${random.pick(["self: &self [*self]\n", ""])}${random.pick([text, used])}`;
}
