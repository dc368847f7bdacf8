import { clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { factsFrom } from "./facts.ts";

/** More than are remembered. */
const MANY = 5_000;

describe("the cache of peers in clientIp", () => {
  it("gives a peer the same key after many others", () => {
    const key = clientIp();
    const peers = Array.from({ length: MANY }, (_, at) => `2001:db8:${at.toString(16)}:1:2:3:4:5`);
    const keys = peers.map((_, at) => `2001:db8:${at.toString(16)}:1::/64`);
    for (const order of [1, -1, 1]) {
      expect(peers.slice(0, 100).map((peer) => key(factsFrom(peer)))).toEqual(keys.slice(0, 100));
      const step = (list: readonly string[]) => (order > 0 ? list : list.toReversed());
      expect(step(peers).map((peer) => key(factsFrom(peer)))).toEqual(step(keys));
    }
  });

  it("belongs to one key function", () => {
    const [wide, narrow] = [clientIp({ ipv6Prefix: 32 }), clientIp({ ipv6Prefix: 128 })];
    for (let i = 0; i < 3; i += 1) {
      expect([wide, narrow].map((key) => key(factsFrom("2001:db8::1")))).toEqual(["2001:db8::/32", "2001:db8::1"]);
    }
  });

  it("does not change what a header tells", () => {
    const key = clientIp({ trustProxy: ["2001:db8::/32"] });
    for (const client of ["2001:db9:1::1", "2001:db9:2::1", "garbage"]) {
      const expected = client === "garbage" ? "2001:db8::/64" : client.replace("::1", "::/64");
      expect(key(factsFrom("2001:db8::1", { "x-forwarded-for": client }))).toBe(expected);
    }
  });

  it.each<[string, number, (at: number) => string]>([
    ["however many they are", 100_000, (at) => `2001:db8::${at.toString(16)}`],
    ["however long they are", 1_000, (at) => `${"x".repeat(10_000)}${at}`],
    // A piece of a string is a view of it.
    ["whatever they were cut out of", 1_000, (at) => `${"x".repeat(10_000)}2001:db8:1:2:3::${at}`.slice(10_000)],
  ])("takes little memory, %s", (_what, count, peerAt) => {
    const key = clientIp();
    const before = inUse();
    for (let at = 0; at < count; at += 1) key(factsFrom(peerAt(at)));
    expect(inUse() - before).toBeLessThan(1_000_000);
    expect(key(factsFrom("2001:db8::1"))).toBe("2001:db8::/64");
  });
});

function inUse(): number {
  const { gc } = globalThis as unknown as { gc: () => void };
  gc();
  return process.memoryUsage().heapUsed;
}
