import fc from "fast-check";
import { type ClientIpOptions, clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { factsFrom } from "./facts.ts";

const SEED = { seed: 1, numRuns: 2_000 };

/** A hop's address, and how proxies may write it in either header. */
interface Hop {
  readonly key: string;
  readonly plain: string;
  readonly element: string;
}

const hop = (ip: fc.Arbitrary<string>): fc.Arbitrary<Hop> =>
  fc
    .record({
      ip,
      port: fc.constantFrom("", ":80", ":65535"),
      before: fc.constantFrom("", "proto=https;", 'by="_x, for=6.6.6.6";', 'host="a\\"b;for=6.6.6.6\\\\";'),
      after: fc.constantFrom("", ";proto=http", ' ; host="\\\\";ext="for=6.6.6.6, "'),
      name: fc.constantFrom("for", "For", "FOR"),
    })
    .map(({ ip: key, port, before, after, name }) => ({
      key,
      plain: key + port,
      element: `${before}${name}="${key}${port}"${after}`,
    }));

const ours = hop(fc.nat({ max: 255 }).map((last) => `10.0.0.${last}`));
const theirs = hop(fc.nat({ max: 255 }).map((last) => `203.0.113.${last}`));
const garbage: fc.Arbitrary<Hop> = fc
  .constantFrom("unknown", "_hidden", "010.0.0.1", "127.1", "", "0x7f.1", "[1.2.3.4]", "10.0.0.1.")
  .map((text) => ({ key: "", plain: text, element: `for="${text}"` }));

/** A header that a client sends to forge its address. */
const forged = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", ",", ";", "=", " ", "for=", "6.6.6.6", "10.0.0.1", "[", "]", "::1") }),
);

const FORMS = [
  { header: "x-forwarded-for", write: ({ plain }: Hop) => plain },
  { header: "forwarded", write: ({ element }: Hop) => element },
] as const;

/** The client by the rules, written as plainly as possible, given the hops from the peer on. */
function expected(hops: readonly Hop[], trusts: (key: string, distance: number) => boolean): string {
  let client = hops[0]?.key ?? "";
  for (let distance = 0; trusts(client, distance); distance += 1) {
    const next = hops[distance + 1];
    if (next === undefined || next.key === "") break;
    client = next.key;
  }
  return client;
}

const byHops = (hops: readonly Hop[], count: number) => expected(hops, (_key, distance) => distance < count);
const byList = (hops: readonly Hop[]) => expected(hops, (key) => key.startsWith("10."));

describe.each(FORMS)("clientIp with $header", ({ header, write }) => {
  const ask = (options: ClientIpOptions, peer: string, entries: readonly string[]) =>
    clientIp({ ...options, addressHeader: header })(factsFrom(peer, entries.length === 0 ? {} : { [header]: entries }));
  /** In the order of the header: the nearest hop is the last. */
  const written = (hops: readonly Hop[]) => hops.map(write).toReversed();

  it("ignores the header of a peer that is not trusted", () => {
    const trustProxy = fc.constantFrom<ClientIpOptions["trustProxy"]>(false, 0, [], "loopback", "private", [
      "10.0.0.0/8",
    ]);
    fc.assert(
      fc.property(trustProxy, theirs, forged, fc.array(ours), (trusted, { key }, text, hops) => {
        const options = trusted === undefined ? {} : { trustProxy: trusted };
        expect(ask(options, key, [text])).toBe(key);
        expect(ask(options, key, [text, ...written(hops)])).toBe(key);
      }),
      SEED,
    );
  });

  const any = fc.oneof(
    { weight: 4, arbitrary: ours },
    { weight: 2, arbitrary: theirs },
    { weight: 1, arbitrary: garbage },
  );

  it("finds the client by the rules of trustProxy, however many hops there are", () => {
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 8 }),
        fc.oneof(ours, theirs),
        fc.nat({ max: 9 }),
        (forwarded, peer, hops) => {
          const path = [peer, ...forwarded];
          const entries = written(forwarded);
          expect(ask({ trustProxy: hops }, peer.key, entries)).toBe(byHops(path, hops));
          expect(ask({ trustProxy: ["10.0.0.0/8"] }, peer.key, entries)).toBe(byList(path));
        },
      ),
      SEED,
    );
  });

  it("ignores what stands left of the N-th entry, of one that is not in the list, and of an unreadable one", () => {
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 6 }),
        fc.oneof(theirs, garbage),
        forged,
        fc.oneof(ours, theirs),
        (forwarded, last, text, peer) => {
          const path = [peer, ...forwarded, last];
          const entries = [text, ...written(path.slice(1))];
          expect(ask({ trustProxy: path.length - 1 }, peer.key, entries)).toBe(byHops(path, path.length - 1));
          expect(ask({ trustProxy: ["10.0.0.0/8"] }, peer.key, entries)).toBe(byList(path));
          expect(ask({ trustProxy: "private" }, peer.key, entries)).toBe(byList(path));
        },
      ),
      SEED,
    );
  });
});

describe("clientIp", () => {
  it("reads only the configured header, and none from a peer that is not trusted", () => {
    const asked: string[] = [];
    const none: Readonly<Record<string, string>> = {};
    const facts = (peer: string) => ({
      ...factsFrom(peer),
      header: (name: string) => {
        asked.push(name);
        return none[name];
      },
    });
    clientIp({ trustProxy: false })(facts("10.0.0.1"));
    clientIp({ trustProxy: "private", addressHeader: "forwarded" })(facts("203.0.113.1"));
    expect(asked).toEqual([]);
    clientIp({ trustProxy: "private" })(facts("10.0.0.1"));
    clientIp({ trustProxy: 2, addressHeader: "Forwarded" })(facts("10.0.0.1"));
    clientIp({ trustProxy: 1, addressHeader: "CF-Connecting-IP" })(facts("10.0.0.1"));
    expect(asked).toEqual(["x-forwarded-for", "forwarded", "cf-connecting-ip"]);
  });
});
