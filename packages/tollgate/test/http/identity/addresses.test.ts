import { BlockList, isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { type ClientIpOptions, clientIp, type KeyOf } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { octets, parts, quadOf, spelling, spellingOfIpv4 } from "./address-arbitrary.ts";
import { factsFrom } from "./facts.ts";

const SEED = { seed: 1, numRuns: 2_000 };
const whole = clientIp({ ipv6Prefix: 128 });

/** Bits from the left, written as the URL standard does. */
function canonical(groups: readonly number[], prefix = 128): string {
  const bits = groups.map((group) => group.toString(2).padStart(16, "0")).join("");
  const kept = bits.slice(0, prefix).padEnd(128, "0");
  const hex = (kept.match(/.{16}/g) ?? []).map((group) => Number.parseInt(group, 2).toString(16));
  return new URL(`http://[${hex.join(":")}]/`).hostname.slice(1, -1);
}

const holdsIpv4 = ([first, second, third, fourth, fifth, sixth]: readonly number[]) =>
  first === 0x2002 ||
  (second === 0xff9b && first === 0x64 && third === 0 && fourth === 0 && fifth === 0 && sixth === 0) ||
  (sixth === 0xffff && first === 0 && second === 0 && third === 0 && fourth === 0 && fifth === 0);

describe("clientIp and addresses", () => {
  it("gives every spelling of an IPv6 address the key of its network", () => {
    const ipv6 = parts.filter((groups) => !holdsIpv4(groups));
    fc.assert(
      fc.property(
        ipv6.chain((groups) => fc.record({ groups: fc.constant(groups), text: spelling(groups) })),
        fc.integer({ min: 1, max: 127 }),
        ({ groups, text }, ipv6Prefix) => {
          expect(isIPv6(text)).toBe(true);
          expect(whole(factsFrom(text))).toBe(canonical(groups));
          expect(clientIp({ ipv6Prefix })(factsFrom(text))).toBe(`${canonical(groups, ipv6Prefix)}/${ipv6Prefix}`);
        },
      ),
      SEED,
    );
  });

  it("gives every spelling of an IPv4 address the same key for every prefix (CVE-2026-30827)", () => {
    fc.assert(
      fc.property(
        octets.chain((four) => fc.record({ four: fc.constant(four), text: spellingOfIpv4(four) })),
        fc.integer({ min: 1, max: 128 }),
        ({ four, text }, ipv6Prefix) => {
          expect(clientIp({ ipv6Prefix })(factsFrom(text))).toBe(quadOf(four));
        },
      ),
      SEED,
    );
  });

  it("accepts exactly the addresses that Node accepts", () => {
    const text = fc.oneof(
      fc.string({
        unit: fc.constantFrom("0", "1", "f", "2", "25", "::", ":", ".", "a", "ffff", "G", " "),
        maxLength: 16,
      }),
      fc
        .array(fc.constantFrom("0", "1", "ffff", "12345", "", "1.2.3.4", "1.2.3.256"), { maxLength: 9 })
        .map((groups) => groups.join(":")),
      fc
        .array(fc.constantFrom("0", "1", "255", "256", "01", "", "1e1"), { minLength: 3, maxLength: 5 })
        .map((groups) => groups.join(".")),
    );
    // Node knows no ports.
    const noPort = text.filter((one) => !/^[^:]*:[^:]*$/.test(one));
    fc.assert(
      fc.property(noPort, (one) => {
        expect(whole(factsFrom(one)) !== "unknown").toBe(isIPv4(one) || isIPv6(one));
      }),
      { seed: 1, numRuns: 10_000 },
    );
  });

  it("matches lists as Node does", () => {
    const entry = fc.oneof(
      fc.record({
        ip: octets.map(quadOf),
        bits: fc.integer({ min: 0, max: 32 }),
        family: fc.constant("ipv4" as const),
      }),
      fc.record({
        ip: parts.filter((groups) => !holdsIpv4(groups)).map((groups) => canonical(groups)),
        bits: fc.integer({ min: 0, max: 128 }),
        family: fc.constant("ipv6" as const),
      }),
    );
    // Near each other, so that prefixes in the middle matter.
    const near = fc
      .tuple(entry, fc.integer({ min: 0, max: 127 }))
      .map(([one, bit]) => ({ ...one, peer: flip(one.ip, bit) }));
    fc.assert(
      fc.property(near, ({ ip, bits, family, peer }) => {
        const list = new BlockList();
        list.addSubnet(ip, bits, family);
        const key = clientIp({ trustProxy: [`${ip}/${bits}`], ipv6Prefix: 128 });
        const isTrusted = key(factsFrom(peer, { "x-forwarded-for": "198.18.0.1" })) === "198.18.0.1";
        expect(isTrusted).toBe(list.check(peer, family));
      }),
      SEED,
    );
  });

  it("matches every address of a block that embeds IPv4, or refuses the block", () => {
    const starts = fc.constantFrom<readonly number[]>([0x2002], [0x64, 0xff9b, 0, 0, 0, 0]);
    const groups = fc
      .record({ start: starts, rest: parts, pair: octets })
      .map(({ start, rest, pair: [first = 0, second = 0, third = 0, fourth = 0] }) =>
        [...start, first * 256 + second, third * 256 + fourth, ...rest].slice(0, 8),
      );
    let accepted = 0;
    fc.assert(
      fc.property(groups, fc.integer({ min: 8, max: 128 }), parts, (network, bits, others) => {
        const options = { trustProxy: [`${canonical(network)}/${bits}`] };
        const key = clientIpUnlessRefused(options);
        if (key === undefined) return;
        accepted += 1;
        const peer = canonical(network.map((group, at) => join(group, others[at] ?? 0, bits - 16 * at)));
        expect(key(factsFrom(peer, { "x-forwarded-for": "198.18.0.1" }))).toBe("198.18.0.1");
      }),
      SEED,
    );
    expect(accepted).toBeGreaterThan(500);
  });

  it("throws for no input, and gives an address, a network or unknown", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({
        unit: fc.constantFrom("1", ":", ".", "[", "]", "%", "f", ",", ";", "=", '"', "\\", "for", " ", "_"),
      }),
    );
    const trustProxy = fc.constantFrom<false | number | "private" | string[]>(false, 1, 3, "private", [
      "::/0",
      "0.0.0.0/0",
    ]);
    const header = fc.constantFrom("x-forwarded-for", "forwarded", "x-real-ip");
    const peer = fc.option(fc.oneof(text, fc.constantFrom("10.0.0.1", "::1")), { nil: undefined });
    fc.assert(
      fc.property(trustProxy, header, peer, text, (trusted, name, from, value) => {
        const key = clientIp({ trustProxy: trusted, addressHeader: name })(factsFrom(from, { [name]: value }));
        const address = key.endsWith("/64") ? key.slice(0, -3) : key;
        expect(key === "unknown" || (key.endsWith("/64") ? isIPv6(address) : isIPv4(address))).toBe(true);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });
});

function clientIpUnlessRefused(options: ClientIpOptions): KeyOf | undefined {
  try {
    return clientIp(options);
  } catch {
    return undefined;
  }
}

/** So many bits of one group, if that is between none and all, and the rest of another. */
function join(group: number, other: number, bits: number): number {
  const mask = 0xffff >> Math.max(0, Math.min(bits, 16));
  return (group & ~mask) | (other & mask);
}

/** The address with one bit turned, counted from the left; none for bits that IPv4 has not got. */
function flip(ip: string, bit: number): string {
  if (isIPv4(ip)) {
    return ip
      .split(".")
      .map((octet, at) => Number(octet) ^ (at === bit >> 3 ? 0x80 >> (bit & 7) : 0))
      .join(".");
  }
  const [left = "", right = ""] = ip
    .split("::")
    .map((side) => side.split(":").filter(Boolean))
    .map((side) => side.join(":"));
  const before = left === "" ? [] : left.split(":");
  const after = right === "" ? [] : right.split(":");
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after];
  return groups
    .map((group, at) => (Number.parseInt(group, 16) ^ (at === bit >> 4 ? 0x8000 >> (bit & 15) : 0)).toString(16))
    .join(":");
}
