/** Addresses and blocks as bits, worked out from their text: it shares nothing with the library. */

interface Bits {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const PRIVATE = [
  "127.0.0.0/8",
  "::1",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
];

export function bitsOf(text: string): Bits | undefined {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(text)) {
    return { family: 4, value: text.split(".").reduce((value, octet) => value * 256n + BigInt(octet), 0n) };
  }
  if (!text.includes(":")) return undefined;
  const groups = expanded(text).flatMap((group) => {
    const ipv4 = bitsOf(group.includes(".") ? group : "");
    return ipv4 === undefined ? [BigInt(`0x${group}`)] : [ipv4.value >> 16n, ipv4.value & 0xffffn];
  });
  const value = groups.reduce((all, group) => all * 65_536n + group, 0n);
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

function expanded(text: string): string[] {
  const [before = "", after] = text.split("::");
  const first = before === "" ? [] : before.split(":");
  if (after === undefined) return first;
  const last = after === "" ? [] : after.split(":");
  const width = first.length + last.length + (text.includes(".") ? 1 : 0);
  return [...first, ...Array.from({ length: 8 - width }, () => "0"), ...last];
}

export function isIn(entry: string, { family, value }: Bits): boolean {
  if (entry === "private") return PRIVATE.some((block) => isIn(block, { family, value }));
  const [address = "", length] = entry.split("/");
  const block = bitsOf(address);
  if (block === undefined || block.family !== family) return false;
  const width = family === 4 ? 32n : 128n;
  const rest = width - (length === undefined ? width : BigInt(length));
  return block.value >> rest === value >> rest;
}

/** IPv4 as it is, IPv6 by its first 64 bits. */
export function keyOfIp(text: string): string {
  const bits = bitsOf(text.replace(/\/64$/, ""));
  if (bits === undefined) return "unknown";
  const { family, value } = bits;
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = [112n, 96n, 80n, 64n].map((shift) => ((value >> shift) & 0xffffn).toString(16));
  while (groups.at(-1) === "0") groups.pop();
  return `${groups.join(":")}::/64`;
}
