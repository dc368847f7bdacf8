import { clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { CpuTimer } from "../cpu-time.ts";
import { factsFrom } from "./facts.ts";

const xff = (...lines: string[]) => ({ "x-forwarded-for": lines });
const forwarded = (...lines: string[]) => ({ forwarded: lines });

const FORWARDED: readonly (readonly [lines: string | readonly string[], key: string])[] = [
  ["for=192.0.2.60", "192.0.2.60"],
  ["FOR=192.0.2.60;PROTO=http", "192.0.2.60"],
  ["proto=http;by=203.0.113.43;for=192.0.2.60", "192.0.2.60"],
  ['for="192.0.2.60"', "192.0.2.60"],
  ['for="192.0.2.60:_secret"', "192.0.2.60"],
  ['For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::/64"],
  ['for="[::ffff:192.0.2.60]:1"', "192.0.2.60"],
  ['for="192\\.0.2.6\\0"', "192.0.2.60"],
  ["for=6.6.6.6,for=192.0.2.60", "192.0.2.60"],
  ["for=6.6.6.6 \t,\t for=192.0.2.60 \t", "192.0.2.60"],
  [["for=6.6.6.6", "for=192.0.2.60;proto=https"], "192.0.2.60"],
  [";for=192.0.2.60;;proto=http;", "192.0.2.60"],
  ['for=192.0.2.60;host="a,b;for=6.6.6.6"', "192.0.2.60"],
  ['for=192.0.2.60;host="a\\",for=6.6.6.6;b=\\"c"', "192.0.2.60"],
  ['for=192.0.2.60;host="a\\\\"', "192.0.2.60"],
  ['host="x, for=6.6.6.6";for=192.0.2.60', "192.0.2.60"],
  // The client leaves a quote open.
  ['for="6.6.6.6, for=192.0.2.60', "192.0.2.60"],
  ['for="6.6.6.6, for="[2001:db8:cafe::17]"', "2001:db8:cafe::/64"],
  ['for="6.6.6.6\\, for="[2001:db8:cafe::17]"', "2001:db8:cafe::/64"],
  ['", for=192.0.2.60;host="x"', "192.0.2.60"],
  // No address: the peer is as far as is known.
  ["for=unknown", "10.0.0.1"],
  ["for=_hidden", "10.0.0.1"],
  ["for=6.6.6.6, for=unknown", "10.0.0.1"],
  ["", "10.0.0.1"],
  ["proto=https", "10.0.0.1"],
  ["xfor=192.0.2.60", "10.0.0.1"],
  ["192.0.2.60", "10.0.0.1"],
  ["for=", "10.0.0.1"],
  ["=192.0.2.60", "10.0.0.1"],
  ["for =192.0.2.60", "10.0.0.1"],
  ["for=192.0.2.60 proto=http", "10.0.0.1"],
  ["for=192.0.2.60:4711", "10.0.0.1"],
  ["for=[2001:db8:cafe::17]", "10.0.0.1"],
  ['for="192.0.2.60', "10.0.0.1"],
  ['for="192.0.2.60"x', "10.0.0.1"],
  ['for="192.0.2.60\\"', "10.0.0.1"],
  ["for=192.0.2.60;for=192.0.2.61", "10.0.0.1"],
  ["for=192.0.2.60;bad", "10.0.0.1"],
  ["for=6.6.6.6, for=192.0.2.60,", "10.0.0.1"],
  [", ,for=192.0.2.60", "192.0.2.60"],
  [['for="6.6.6.6', "for=192.0.2.60", ""], "10.0.0.1"],
  ["for=192.0.2.60, ;", "10.0.0.1"],
];

describe("clientIp and the header Forwarded", () => {
  it.each(FORWARDED)("finds in %j the client %s", (lines, key) => {
    const facts = factsFrom("10.0.0.1", { forwarded: lines });
    expect(clientIp({ trustProxy: 1, addressHeader: "forwarded" })(facts)).toBe(key);
  });
});

describe("the bounds of clientIp", () => {
  const key = clientIp({ trustProxy: "private" });
  const chain = (count: number) => Array.from({ length: count }, (_, index) => `10.0.1.${index}`).join(", ");

  it("limit a header to its last 100 entries", () => {
    expect(key(factsFrom("10.0.0.1", xff(`6.6.6.6, ${chain(99)}`)))).toBe("6.6.6.6");
    expect(key(factsFrom("10.0.0.1", xff(`6.6.6.6, ${chain(100)}`)))).toBe("10.0.1.0");
    expect(key(factsFrom("10.0.0.1", xff(`6.6.6.6, ${chain(101)}`)))).toBe("10.0.1.1");
    expect(clientIp({ trustProxy: 100 })(factsFrom("10.0.0.1", xff(`6.6.6.6, ${chain(100)}`)))).toBe("10.0.1.0");
  });

  it("limit a header to its last 8,192 characters, without a cut entry", () => {
    const nearest = "10.0.0.2".padStart(8_184, " ");
    expect(key(factsFrom("10.0.0.1", xff(`6.6.6.6,${nearest}`)))).toBe("6.6.6.6");
    expect(key(factsFrom("10.0.0.1", xff(`86.6.6.6,${nearest}`)))).toBe("10.0.0.2");
    expect(key(factsFrom("10.0.0.1", xff(`1.1.1.1,${" ".repeat(9_000)}, 6.6.6.6`)))).toBe("6.6.6.6");
  });

  it("keep hostile headers to linear time", () => {
    const forwardedKey = clientIp({ trustProxy: 100, addressHeader: "forwarded" });
    const hostile = ["\\", '"', '\\"', " ", "a=", "a", ";", ",", 'a="', "a=b;"].map((text) =>
      text.repeat(1_000_000 / text.length),
    );
    const timer = new CpuTimer();
    for (const value of hostile) {
      for (const end of ["", ", ", '"', " x"]) {
        expect(forwardedKey(factsFrom("10.0.0.1", forwarded(value + end)))).toBe("10.0.0.1");
        expect(key(factsFrom("10.0.0.1", xff(value + end)))).toBe("10.0.0.1");
      }
    }
    expect(timer.elapsedMs).toBeLessThan(2_000);
  });
});
