import type { Random } from "./random.ts";

/** Texts at which programs stumble. */
const TEXTS = [
  "",
  "\0",
  "**",
  "..",
  "a\r\nb",
  "__proto__",
  "constructor",
  "\ud800",
  "%zz",
  "%c0%af",
  "1e999",
  "18446744073709551616",
  "10/1s",
  "256.1.1.1",
  "::ffff:192.0.2.1",
  "fe80::1%eth0",
  "😀",
  "İ",
] as const;

/** Numbers as JSON and YAML write them, also those that JavaScript does not have. */
const NUMBERS = [
  "-0",
  "-1",
  "0.5",
  "1e-400",
  "1e999",
  "9007199254740993",
  "4294967296",
  "18446744073709551615",
] as const;

export function oddText(random: Random): string {
  switch (random.below(5)) {
    case 0:
      return random.pick(TEXTS).repeat(random.size(2_000));
    case 1:
      return random.bytes(random.size(200)).toString("latin1");
    default:
      return random.pick(TEXTS);
  }
}

/** A JSON value as text, of any type. */
export function oddJson(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return random.pick(["null", "true", "[]", "{}", '""']);
    case 1:
      return JSON.stringify(oddText(random));
    case 2:
      return '{"a":'.repeat(random.size(20_000));
    case 3:
      return `[${random.list(random.size(300), () => random.pick(NUMBERS)).join(",")}]`;
    default:
      return random.pick(NUMBERS);
  }
}

/** Puts an odd value in place of some text, number or word of JSON or YAML. */
export function withOddValue(random: Random, text: string): string {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[\w./*-]+/g)];
  const token = random.pick(tokens);
  if (token === undefined) return text;
  const odd = random.percent(70) ? oddJson(random) : random.pick(tokens)[0];
  return text.slice(0, token.index) + odd + text.slice(token.index + token[0].length);
}

/** Removes, repeats or changes bytes in some places: the rest stays, so that readers get beyond the beginning. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    const at = random.below(changed.length + 1);
    const end = at + random.size(200);
    const before = changed.subarray(0, at);
    const piece = changed.subarray(at, end);
    const odd = random.percent(50) ? Buffer.from("\0\r\n\t :;,/%{}[]\"'*&#-\x7f\xff", "latin1") : random.bytes(64);
    const middle = random.pick([
      [],
      random.list(random.size(500), () => piece),
      [odd.subarray(0, random.size(odd.length)), piece],
      [Buffer.from([odd[random.below(odd.length)] ?? 0])],
    ]);
    changed = Buffer.concat([before, ...middle, changed.subarray(end)]);
  }
  return changed;
}
