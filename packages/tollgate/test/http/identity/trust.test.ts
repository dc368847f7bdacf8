import { type ClientIpOptions, clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { factsFrom, type HeaderLines } from "./facts.ts";

type Case = readonly [options: ClientIpOptions, peer: string | undefined, headers: HeaderLines, key: string];

const xff = (...lines: string[]) => ({ "x-forwarded-for": lines });
const forwarded = (...lines: string[]) => ({ forwarded: lines });

const NO_TRUST: readonly Case[] = [
  [{}, "192.0.2.1", xff("1.1.1.1"), "192.0.2.1"],
  [{}, "127.0.0.1", xff("1.1.1.1"), "127.0.0.1"],
  [{ trustProxy: 0 }, "10.0.0.1", xff("1.1.1.1"), "10.0.0.1"],
  [{ trustProxy: [] }, "10.0.0.1", xff("1.1.1.1"), "10.0.0.1"],
  [{ trustProxy: false }, undefined, xff("1.1.1.1"), "unknown"],
  [{ trustProxy: false, addressHeader: "cf-connecting-ip" }, "10.0.0.1", { "cf-connecting-ip": "1.1.1.1" }, "10.0.0.1"],
  [{ trustProxy: false, addressHeader: "forwarded" }, "10.0.0.1", forwarded("for=1.1.1.1"), "10.0.0.1"],
];

const HOPS: readonly Case[] = [
  [{ trustProxy: 1 }, "10.0.0.1", {}, "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff(""), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6 \t,\t 1.1.1.1 \t"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6", "1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, "203.0.113.9", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("1.1.1.1:50123"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("[2001:db8::1]:50123"), "2001:db8::/64"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("2001:db8::1"), "2001:db8::/64"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("::ffff:1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6, garbage"), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff('6.6.6.6, "1.1.1.1"'), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1, "), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6", "1.1.1.1", "", " \t "), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6 1.1.1.1"), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff("6.6.6.6, \u00a01.1.1.1"), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff(","), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", xff(",1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 2 }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1, 10.0.0.2"), "1.1.1.1"],
  [{ trustProxy: 2 }, "10.0.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 2 }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1, ,, 10.0.0.2"), "10.0.0.2"],
  [{ trustProxy: 2 }, "10.0.0.1", xff(",10.0.0.2"), "10.0.0.2"],
  [{ trustProxy: 1 }, undefined, xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1 }, undefined, {}, "unknown"],
  [{ trustProxy: 1 }, undefined, xff("garbage"), "unknown"],
  [{ trustProxy: 1 }, "/run/app.sock", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
];

const LISTS: readonly Case[] = [
  [{ trustProxy: "loopback" }, "127.0.0.1", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "loopback" }, "::1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "loopback" }, "::ffff:127.0.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "loopback" }, "::2", xff("1.1.1.1"), "::/64"],
  [{ trustProxy: "loopback" }, "128.0.0.1", xff("1.1.1.1"), "128.0.0.1"],
  [{ trustProxy: "loopback" }, "127.0.0.1", xff("6.6.6.6, garbage"), "127.0.0.1"],
  [{ trustProxy: "loopback" }, "127.0.0.1", xff("127.0.0.3, 127.0.0.2"), "127.0.0.3"],
  [{ trustProxy: "loopback" }, undefined, xff("1.1.1.1"), "unknown"],
  [{ trustProxy: "private" }, "10.255.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "172.15.255.255", xff("1.1.1.1"), "172.15.255.255"],
  [{ trustProxy: "private" }, "172.16.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "172.31.255.255", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "172.32.0.0", xff("1.1.1.1"), "172.32.0.0"],
  [{ trustProxy: "private" }, "192.168.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "169.254.1.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "127.0.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "fd12:3456::1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "fe80::1%eth0", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: "private" }, "fec0::1", xff("1.1.1.1"), "fec0::/64"],
  [{ trustProxy: "private" }, "100.64.0.1", xff("1.1.1.1"), "100.64.0.1"],
  [{ trustProxy: "private" }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1, 192.168.0.7, fd00::7"), "1.1.1.1"],
  [{ trustProxy: "private" }, "10.0.0.1", xff("6.6.6.6, garbage, 192.168.0.7"), "192.168.0.7"],
  [{ trustProxy: "private" }, "10.0.0.1", xff("10.0.0.3, 10.0.0.2"), "10.0.0.3"],
  // The sender from such a network does not own the internal address.
  [{ trustProxy: "private" }, "2002:a00:1::1", xff("1.1.1.1"), "10.0.0.1"],
  [{ trustProxy: "loopback" }, "2002:7f00:1::1", xff("1.1.1.1"), "127.0.0.1"],
  [{ trustProxy: ["2002:a00::/24"] }, "2002:a00:1::1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["2002:a00::/24"] }, "10.0.0.1", xff("1.1.1.1"), "10.0.0.1"],
  [{ trustProxy: ["10.0.0.0/8"] }, "10.1.2.3", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["10.0.0.0/8"] }, "::ffff:10.1.2.3", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["10.0.0.0/8"] }, "11.0.0.0", xff("1.1.1.1"), "11.0.0.0"],
  [{ trustProxy: ["10.99.99.99/8"] }, "10.1.2.3", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["::ffff:10.0.0.0/104"] }, "10.1.2.3", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["::ffff:10.0.0.0/104"] }, "11.1.2.3", xff("1.1.1.1"), "11.1.2.3"],
  [{ trustProxy: ["203.0.113.0/25"] }, "203.0.113.127", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["203.0.113.0/25"] }, "203.0.113.128", xff("1.1.1.1"), "203.0.113.128"],
  [{ trustProxy: ["203.0.113.0/24"] }, "64:ff9b::203.0.113.9", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["2002:cb00:7100::/40"] }, "203.0.113.9", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["2002:cb00:7109:5::/64"] }, "203.0.113.9", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["2002:c0a8::/33"] }, "2002:c0a8:8000::1", xff("1.1.1.1"), "192.168.128.0"],
  // The host writes its own peers in the mapped form: there is no other half.
  [{ trustProxy: ["::ffff:0:0/97"] }, "10.0.0.1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["::ffff:0:0/97"] }, "::ffff:8.8.8.8", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["203.0.113.7"] }, "203.0.113.8", xff("1.1.1.1"), "203.0.113.8"],
  [{ trustProxy: ["2001:db8::/32"] }, "2001:db8:ffff::1", xff("1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: ["2001:db8::/33"] }, "2001:db8:8000::1", xff("1.1.1.1"), "2001:db8:8000::/64"],
  [{ trustProxy: ["2001:db8::1"] }, "2001:db8::2", xff("1.1.1.1"), "2001:db8::/64"],
  [{ trustProxy: ["0.0.0.0/0"] }, "8.8.8.8", xff("9.9.9.9, 2001:db8::1, 7.7.7.7"), "2001:db8::/64"],
  [{ trustProxy: ["::/0"] }, "2001:db8::1", xff("9.9.9.9"), "9.9.9.9"],
  [{ trustProxy: ["::/0"] }, "::ffff:8.8.8.8", xff("9.9.9.9"), "8.8.8.8"],
  [{ trustProxy: ["loopback", "203.0.113.0/24"] }, "127.0.0.1", xff("6.6.6.6, 1.1.1.1, 203.0.113.4"), "1.1.1.1"],
  [{ trustProxy: ["private", "203.0.113.0/24"] }, "203.0.113.1", xff("1.1.1.1, 10.0.0.2"), "1.1.1.1"],
];

const ONE_HEADER: readonly Case[] = [
  // Only the header that was named is looked at: a client can add the others.
  [{ trustProxy: 1 }, "10.0.0.1", { ...xff("1.1.1.1"), ...forwarded("for=6.6.6.6") }, "1.1.1.1"],
  [{ trustProxy: 1 }, "10.0.0.1", forwarded("for=6.6.6.6"), "10.0.0.1"],
  [{ trustProxy: 1 }, "10.0.0.1", { "cf-connecting-ip": "6.6.6.6", "x-real-ip": "6.6.6.6" }, "10.0.0.1"],
  [
    { trustProxy: 1, addressHeader: "forwarded" },
    "10.0.0.1",
    { ...xff("6.6.6.6"), ...forwarded("for=1.1.1.1") },
    "1.1.1.1",
  ],
  [{ trustProxy: 1, addressHeader: "forwarded" }, "10.0.0.1", xff("6.6.6.6"), "10.0.0.1"],
  [{ trustProxy: 1, addressHeader: "x-forwarded-for" }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1, addressHeader: "X-Forwarded-For" }, "10.0.0.1", xff("6.6.6.6, 1.1.1.1"), "1.1.1.1"],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, "10.0.0.1", { "cf-connecting-ip": "1.1.1.1" }, "1.1.1.1"],
  [{ trustProxy: 1, addressHeader: "CF-Connecting-IP" }, "10.0.0.1", { "cf-connecting-ip": " 1.1.1.1 " }, "1.1.1.1"],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, undefined, { "cf-connecting-ip": "1.1.1.1" }, "1.1.1.1"],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, undefined, {}, "unknown"],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, "10.0.0.1", xff("6.6.6.6"), "10.0.0.1"],
  [
    { trustProxy: 1, addressHeader: "cf-connecting-ip" },
    "10.0.0.1",
    { "cf-connecting-ip": "6.6.6.6, 1.1.1.1" },
    "10.0.0.1",
  ],
  [
    { trustProxy: 1, addressHeader: "cf-connecting-ip" },
    "10.0.0.1",
    { "cf-connecting-ip": ["6.6.6.6", "1.1.1.1"] },
    "10.0.0.1",
  ],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, "10.0.0.1", { "cf-connecting-ip": "unknown" }, "10.0.0.1"],
  [{ trustProxy: 1, addressHeader: "cf-connecting-ip" }, "10.0.0.1", { "cf-connecting-ip": "" }, "10.0.0.1"],
  [
    { trustProxy: 1, addressHeader: "cf-connecting-ip" },
    "10.0.0.1",
    { "cf-connecting-ip": "2a06:98c0::1" },
    "2a06:98c0::/64",
  ],
  [{ trustProxy: 3, addressHeader: "fly-client-ip" }, "fd00::1", { "fly-client-ip": "1.1.1.1" }, "1.1.1.1"],
  [{ trustProxy: "private", addressHeader: "x-real-ip" }, "10.0.0.1", { "x-real-ip": "1.1.1.1" }, "1.1.1.1"],
  [{ trustProxy: "private", addressHeader: "x-real-ip" }, "10.0.0.1", { "x-real-ip": "10.0.0.7" }, "10.0.0.7"],
  [{ trustProxy: "private", addressHeader: "x-real-ip" }, "8.8.8.8", { "x-real-ip": "6.6.6.6" }, "8.8.8.8"],
  [
    { trustProxy: ["173.245.48.0/20"], addressHeader: "cf-connecting-ip" },
    undefined,
    { "cf-connecting-ip": "6.6.6.6" },
    "unknown",
  ],
];

describe("clientIp and trusted hops", () => {
  describe.each<[name: string, cases: readonly Case[]]>([
    ["no trusted hops", NO_TRUST],
    ["the nearest hops'", HOPS],
    ["that of listed addresses", LISTS],
    ["in the one header that was named", ONE_HEADER],
  ])("%s", (_name, cases) => {
    it.each(cases)("finds with %j from %s with %j the client %s", (options, peer, headers, key) => {
      expect(clientIp(options)(factsFrom(peer, headers))).toBe(key);
    });
  });
});
