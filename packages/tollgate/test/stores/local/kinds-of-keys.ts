import { randomWords } from "./random-words.ts";

const words = randomWords(5);

const FOUR_DIGITS = Array.from({ length: 0x10000 }, (_, number) => number.toString(16).padStart(4, "0"));

function hex(): string {
  return FOUR_DIGITS[words() & 0xffff]!;
}

const THREE_SIGNS = Array.from({ length: 36 ** 3 }, (_, number) => number.toString(36).padStart(3, "0"));

function signs(): string {
  return THREE_SIGNS[words() % 36 ** 3]!;
}

/** Kinds of keys that are common in practice. Each kind is a function from a number to a unique key. */
export const KINDS_OF_KEYS: readonly (readonly [kind: string, keyOf: (i: number) => string])[] = [
  ["numbered", (i) => `user-${i + 1}`],
  ["random", () => signs() + signs() + signs() + signs() + signs() + signs()],
  ["IPv4", ipv4],
  ["IPv6", () => `2001:db8:${hex()}:${hex()}::${hex()}:${hex()}:${hex()}`],
  ["UUID", () => `${hex()}${hex()}-${hex()}-${hex()}-${hex()}-${hex()}${hex()}${hex()}`],
];

/** The factor is odd, so no address comes twice. */
function ipv4(i: number): string {
  const address = Math.imul(i, 0x9e3779b1);
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}
