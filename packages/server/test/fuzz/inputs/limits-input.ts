import { mutateBytes } from "../mutate.ts";
import { oddNumber, oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import type { LimitsInput } from "./input.ts";
import { textsOf } from "./limits-texts.ts";
import { SERVICE_KINDS, type ServiceName, withFiles } from "./service-kinds.ts";

/** Texts of a limits file: valid ones, changed ones, and those that no person writes. */
export function limitsInput(random: Random, services: readonly ServiceName[]): LimitsInput {
  const service = random.pick(withFiles(services));
  const base = random.pick(textsOf(service));
  return {
    kind: "limits-file",
    service,
    text: textOf(random, base, service),
    by: random.pick(["rename", "rename", "write", "two writes", "removal"]),
  };
}

function textOf(random: Random, base: string, service: ServiceName): Buffer {
  switch (random.below(8)) {
    case 0:
      return Buffer.from(base);
    case 1:
      return mutateBytes(random, Buffer.from(base));
    case 2:
      return Buffer.from(withOddScalar(random, base));
    case 3:
      return Buffer.from(deep(random));
    case 4:
      return Buffer.from(SERVICE_KINDS[service].files === "envoy" ? largeEnvoy(random) : large(random));
    case 5:
      return Buffer.from(withAliases(random, base));
    default:
      return Buffer.from(withChangedLines(random, base));
  }
}

/** Words of YAML that change what follows. */
const YAML_WORDS = [
  "&a ",
  "*a",
  "*one",
  "<<: *base",
  "!!binary ",
  "!!map ",
  "!x ",
  "? ",
  "- - - ",
  "| ",
  ">-\n",
  "%YAML 1.1\n---\n",
  "---\n",
  "...\n",
  "{{{{",
  "]",
  "\t",
  "# ",
  "'",
  '"',
] as const;

function withOddScalar(random: Random, text: string): string {
  const scalars = [...text.matchAll(/[\w./*-]+/g)];
  const { index, 0: old } = random.pick(scalars);
  const odd = random.pick([
    () => oddNumber(random),
    () => JSON.stringify(oddText(random)),
    () => oddText(random),
    () => `${random.pick(YAML_WORDS)}${old}`,
    () => random.pick(scalars)[0],
    () => `${oddNumber(random)}/${random.pick(["1s", "0s", "1ms", "10y", "11y", "", "1d1d"])}`,
    () => "x".repeat(random.size(200_000)),
  ] as const)();
  return text.slice(0, index) + odd + text.slice((index ?? 0) + old.length);
}

function withChangedLines(random: Random, text: string): string {
  const lines = text.split("\n");
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    const at = random.below(lines.length);
    const line = lines[at] ?? "";
    const other = lines[random.below(lines.length)] ?? "";
    const changed: readonly string[] = random.pick([
      [],
      [line, line],
      [`  ${line}`],
      [line.replace(/^ {2}/, "")],
      [other],
      [`${line} ${random.pick(YAML_WORDS)}`],
      [random.pick(YAML_WORDS), line],
      [line, ...random.list(random.size(200), () => other)],
    ]);
    lines.splice(at, 1, ...changed);
  }
  return lines.join("\n");
}

function deep(random: Random): string {
  const levels = random.size(30_000);
  const open = random.pick(["[", "{a: ", "- ", "? ", "{", "[[a,", "- - ? "]);
  return `version: 1\ndomains: ${open.repeat(levels)}`;
}

function large(random: Random): string {
  const rules = random.list(random.size(1_000), () => {
    const match = `{ path: "/${random.below(1_000)}/${random.pick(["*", "**", "a"])}", method: GET }`;
    return `      r${random.bits()}: { by: ip, match: ${match}, rate: ${random.between(1, 99)}/1s }\n`;
  });
  return `version: 1\ndomains:\n  api:\n    limits:\n${rules.join("")}`;
}

function largeEnvoy(random: Random): string {
  const descriptors = random.list(random.size(1_000), () => {
    const value = `v${random.bits()}${random.pick(["", "*"])}`;
    return `  - { key: path, value: "${value}", rate_limit: { unit: hour, requests_per_unit: ${random.below(99)} } }\n`;
  });
  return `domain: edge\ndescriptors:\n${descriptors.join("")}`;
}

/** Lists of aliases of lists of aliases: few bytes that are many nodes, or that contain themselves. */
function withAliases(random: Random, text: string): string {
  const width = random.between(1, 12);
  const levels = random.between(1, 12);
  const lines = Array.from({ length: levels }, (_, i) => {
    const items = Array.from({ length: width }, () => (i === 0 ? "x" : `*l${i - 1}`));
    return `l${i}: &l${i} [${items.join(", ")}]\n`;
  });
  const loop = random.pick(["self: &self [*self]\n", "self: &self { <<: *self }\n", ""]);
  const used = text.replace(/descriptors:\n|limits:\n/, (word) => `${word.trimEnd()} *l${levels - 1}\n`);
  return lines.join("") + loop + random.pick([text, used]);
}
