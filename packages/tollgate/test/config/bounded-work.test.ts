import { createLimits, type RuleWords } from "tollgate/config";
import { describe, expect, it, vi } from "vitest";
import { MANY_SEGMENTS, PathIndex } from "../../src/config/rules/path-index.ts";
import { decoded, readPath } from "../../src/config/rules/path-readings.ts";

const limitsOf = (limits: Record<string, RuleWords>) => createLimits({ version: 1, domains: { api: { limits } } });

/** How often `work` searches texts and reads characters. */
function searchesOf(work: () => unknown): number {
  const spies = [vi.spyOn(String.prototype, "indexOf"), vi.spyOn(String.prototype, "charCodeAt")];
  work();
  const calls = spies.map((spy) => spy.mock.calls.length);
  for (const spy of spies) spy.mockRestore();
  return calls.reduce((sum, count) => sum + count);
}

describe("the work of a request", () => {
  const cookie = `theme=a-dark-7-theme; session=${"s".repeat(4_000)}; ${"c=%61; ".repeat(1_400)}`;

  it("does not grow with the rules that read long cookies and headers", () => {
    const asked = (count: number, header: (name: string) => string | undefined): number => {
      const rules = Array.from({ length: count }, (_, i): [string, RuleWords] => [
        `r${i}`,
        {
          match: { "cookie.theme": `*dark*7${"*".repeat(i % 100)}` },
          by: ["cookie.session", "header.x-key"],
          rate: "5/1m",
        },
      ]);
      const limits = limitsOf(Object.fromEntries(rules));
      // The first request makes the limiters.
      limits.consume("api", { cookie: { theme: "dark-7", session: "s" }, header: { "x-key": "k" } });
      return searchesOf(() => limits.handle("api", { header }).consume());
    };
    const header = vi.fn<(name: string) => string>((name) => (name === "cookie" ? cookie : "k".repeat(2_000)));
    const one = asked(1, header);
    header.mockClear();
    // Keys are short, and stores look at each of their characters.
    expect(asked(300, header) - one).toBeLessThan(300 * 1_000);
    expect(header.mock.calls).toEqual([["cookie"], ["x-key"]]);
  });

  it("does not grow with the rules whose patterns begin or end in another way", () => {
    const compared = (count: number): readonly [number, readonly string[]] => {
      const rules = Array.from({ length: count }, (_, i): [string, RuleWords][] => [
        [`host${i}`, { match: { host: `*.tenant-${i}.example` }, rate: "5/1m" }],
        [`bot${i}`, { match: { method: "GET", "header.user-agent": [`bot-${i}/*`, `tool-${i}`] }, rate: "5/1m" }],
      ]);
      const limits = limitsOf(Object.fromEntries(rules.flat()));
      const facts = {
        method: "GET",
        host: "a.tenant-7.example",
        header: { "user-agent": `bot-3/${"x".repeat(14_000)}` },
      };
      const spy = vi.spyOn(String.prototype, "startsWith");
      const names = limits.handle("api", facts).rules;
      const { length } = spy.mock.calls;
      spy.mockRestore();
      return [length, names];
    };
    const [ten, names] = compared(10);
    expect(names).toEqual(["bot3", "host7"]);
    expect(compared(300)).toEqual([ten, names]);
  });

  it("is bounded for patterns: a text that is too long matches if its ends do", () => {
    const limits = limitsOf({ bots: { match: { "header.x": ["a*bot*z", "*bot*"] }, limit: "deny" } });
    const isDenied = (x: string) => !limits.consume("api", { header: { x } }).allowed;
    expect(["bot", "a".repeat(4_096), `${"a".repeat(4_093)}bot`].map(isDenied)).toEqual([true, false, true]);
    expect(["a".repeat(4_097), `${"a".repeat(9_000)}bot`].map(isDenied)).toEqual([true, true]);
    const ends = limitsOf({ bots: { match: { "header.x": ["a*bot*z", "a*b"] }, limit: "deny" } });
    const hasEnds = (x: string) => !ends.consume("api", { header: { x } }).allowed;
    expect(["a".repeat(5_000), `${"a".repeat(5_000)}z`, `${"a".repeat(5_000)}b`].map(hasEnds)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("has no exception for each malformed segment of a path", () => {
    const decode = vi.spyOn(globalThis, "decodeURIComponent");
    readPath("/%;/%ff/%c3%28/%C3%A9/%".repeat(150), false);
    const kinds = decode.mock.results.map(({ type }) => type);
    decode.mockRestore();
    expect(new Set(kinds)).toEqual(new Set(["return"]));
  });
});

describe("percent-encoding", () => {
  it("is decoded if it is UTF-8, else kept", () => {
    const bytes = [0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0];
    const codes = [...bytes, 0xf1, 0xf4, 0xf5].map((byte) => `%${byte.toString(16).padStart(2, "0")}`);
    const pairs = codes.flatMap((one) => codes.map((other) => one + other.toUpperCase()));
    const texts = [...codes, ...pairs, ...pairs.flatMap((one) => pairs.map((other) => `${one}${other}`))];
    expect(texts.filter((text) => decoded(text) !== plainlyDecoded(text))).toEqual([]);
    const odd = ["%", "%%41", "%4", "%zz%41", "a%C3%A9%", "%c3%c3%a9%a9", "é%41"];
    expect(odd.filter((text) => decoded(text) !== plainlyDecoded(text))).toEqual([]);
  });
});

function plainlyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

describe("a path that many patterns follow", () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, i): [string, RuleWords] => [
      `r${i}`,
      { match: { path: `/**/a${i}/**` }, limit: "deny" },
    ]),
  );
  const ip = { by: "ip", rate: "5/1m" } as const;
  /** Follows so many patterns, and has 400 segments. */
  const following = (count: number) =>
    `/${Array.from({ length: 400 }, (_, i) => (i < count ? `a${i}` : "z")).join("/")};%2f..//`;

  it("is compared in a bounded number of steps", () => {
    const index = new PathIndex<number>();
    for (let i = 0; i < 300; i += 1) index.at([MANY_SEGMENTS, `a${i}`, MANY_SEGMENTS], () => i);
    const segments = Array.from({ length: 2_000 }, (_, i) => (i < 300 ? `a${i}` : "z"));
    let read = 0;
    const reading = new Proxy(segments, {
      get(target, name) {
        if (typeof name === "string" && Object.hasOwn(target, name) && name !== "length") read += 1;
        return Reflect.get(target, name);
      },
    });
    const ends = [1, 16].map((count) =>
      index.find(
        Array.from({ length: count }, () => reading),
        new Set(),
      ),
    );
    expect(ends).toEqual([false, false]);
    // The nth segment is compared at n nodes: 200 of them are 20,000 steps.
    expect(read).toBeLessThanOrEqual(2 * 200);
  });

  it("is denied beyond that where a rule with a path enforces", () => {
    const limits = limitsOf({ ip, ...many });
    const rulesOf = (path: string) => limits.handle("api", { ip: "192.0.2.1", path }).rules;
    expect(rulesOf(following(3))).toEqual(["ip", "r0", "r1", "r2"]);
    expect(rulesOf(following(300))).toEqual(["ip", "long-path"]);
    expect(limits.consume("api", { path: following(300) })).toMatchObject({ allowed: false, reason: "denied" });
    const explained = limits.explain("api", { ip: "192.0.2.1", path: following(300) });
    expect(explained.map(({ matches }) => matches)).toEqual(Array(301).fill(true));
    expect(explained[300]).toMatchObject({ limits: "deny" });
  });

  it("is denied where keys choose by the path, and not by a rule that only watches", () => {
    const shadows = Object.fromEntries(
      Object.entries(many).map(([name, words]): [string, RuleWords] => [name, { ...words, mode: "shadow" }]),
    );
    const paths: RuleWords = { by: "path", rate: "5/1m", keys: { "/health": "unlimited" } };
    const isAllowed = (file: Record<string, RuleWords>) =>
      limitsOf(file).consume("api", { ip: "192.0.2.1", path: following(300) }).allowed;
    expect([isAllowed({ ...shadows, paths }), isAllowed({ ...shadows, ip })]).toEqual([false, true]);
  });
});

describe("a path that servers read differently and that is too long to find all readings", () => {
  const long = `/;${"x".repeat(4_095)}/../login`;

  it("is denied where rules ask for paths, and nowhere else", () => {
    const ip = { by: "ip", rate: "5/1m" } as const;
    const files: Record<string, RuleWords>[] = [
      { ip, export: { match: { path: "/export" }, by: "ip", rate: "5/1m" } },
      { ip, keys: { by: "path", rate: "5/1m", keys: { "/health": "unlimited" } } },
      { ip, plans: { by: "path", rate: "5/1m", plans: { from: "path", is: { "/health": "unlimited" } } } },
      { ip, seen: { match: { path: "/seen" }, mode: "shadow", rate: "5/1m" } },
      { ip, path: { by: "path", rate: "5/1m" } },
    ];
    const decisions = files.map((file) => limitsOf(file).consume("api", { ip: "192.0.2.1", path: long }));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, false, false, true, true]);
    const short = long.replace(/x+/, "x".repeat(2_000));
    const others = files.map((file) => limitsOf(file).consume("api", { ip: "192.0.2.1", path: short }).allowed);
    expect(others).toEqual(Array(5).fill(true));
  });

  it("is denied by a rule that enforces, and explained so", () => {
    const limits = limitsOf({
      seen: { match: { path: "/seen" }, mode: "shadow", rate: "5/1m" },
      export: { match: { path: "/export", method: "POST" }, by: "header.x-none", rate: "5/1m" },
      off: { match: { path: "/off" }, mode: "off", rate: "5/1m" },
    });
    const facts = { method: "POST", path: long, header: { "x-none": "k" } };
    expect(limits.consume("api", facts)).toMatchObject({ allowed: false, reason: "denied" });
    expect(limits.handle("api", { path: long }).rules).toEqual(["long-path"]);
    expect(limits.explain("api", facts)[1]).toMatchObject({ matches: true, limits: "deny" });
  });

  it("has the key of its first reading", () => {
    const limits = limitsOf({ path: { by: "path", rate: "1/1m" } });
    expect(limits.consume("api", { path: long }).allowed).toBe(true);
    expect(limits.consume("api", { path: `/${"y;".repeat(3_000)}/../login` }).allowed).toBe(false);
  });

  it("is read as any other if servers agree on it", () => {
    const limits = limitsOf({ export: { match: { path: "/a/*" }, limit: "deny" } });
    const isDenied = (path: string) => !limits.consume("api", { path }).allowed;
    expect([`/a/${"b".repeat(9_000)}`, `/b/${"a".repeat(9_000)}`].map(isDenied)).toEqual([true, false]);
  });
});
