import type { Random } from "./random.ts";

/** Texts at which programs stumble. */
const TEXTS = [
  "",
  " ",
  "\0",
  "*",
  "**",
  "..",
  "a\r\nb",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u2028",
  "\ud800",
  "\ufeff",
  "%",
  "%00",
  "%zz",
  "%c0%af",
  "null",
  "NaN",
  "Infinity",
  "-0",
  "1e999",
  "9007199254740993",
  "18446744073709551616",
  "0x10",
  "10/1s",
  "1/0s",
  "192.0.2.1",
  "256.1.1.1",
  "::",
  "::ffff:192.0.2.1",
  "fe80::1%eth0",
  "[::1]:80",
  "10.0.0.0/8",
  "😀",
  "İ",
  "ß",
  "e\u0301",
] as const;

/** Numbers as JSON and YAML write them, also those that JavaScript does not have. */
const NUMBERS = [
  "0",
  "-0",
  "1",
  "-1",
  "0.5",
  "1e-400",
  "1e308",
  "1e999",
  "-1e999",
  "9007199254740991",
  "9007199254740993",
  "4294967295",
  "4294967296",
  "2147483648",
  "18446744073709551615",
  "123456789012345678901234567890",
  "0.1e-7",
  "253402300800000",
] as const;

export function oddText(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return random.pick(TEXTS).repeat(random.size(2_000));
    case 1:
      return String.fromCharCode(...random.list(random.size(40), () => random.below(0x10000)));
    case 2:
      return random.bytes(random.size(200)).toString("latin1");
    default:
      return random.pick(TEXTS);
  }
}

export function oddNumber(random: Random): string {
  return random.percent(80) ? random.pick(NUMBERS) : String(random.bits() - 2 ** 31);
}

/** A JSON value as text, of any type. */
export function oddJson(random: Random): string {
  switch (random.below(9)) {
    case 0:
      return random.pick(["null", "true", "false", "[]", "{}", "[[]]", '""']);
    case 1:
    case 2:
      return JSON.stringify(oddText(random));
    case 3: {
      const levels = random.size(20_000);
      const [open, close] = random.pick([
        ["[", "]"],
        ['{"a":', "}"],
      ] as const);
      return `${open.repeat(levels)}1${close.repeat(levels)}`;
    }
    case 4:
      return `{${random.list(random.size(300), () => `${JSON.stringify(oddText(random).slice(0, 50))}:1`).join(",")}}`;
    case 5:
      return `[${random.list(random.size(300), () => oddNumber(random)).join(",")}]`;
    default:
      return oddNumber(random);
  }
}
