import fc from "fast-check";
import type { Amount, Choice, LimitsFile, MatchWords, RuleWords } from "tollgate/config";

// Few values, so that rules and requests often meet.

export const SEGMENTS = ["a", "b", "login", "%61", "A", ".", "..", ""] as const;
export const METHODS = ["GET", "POST", "HEAD"] as const;
export const HOSTS = ["example.com", "api.example.com", "EXAMPLE.com:8080", "[::1]:80", "other."] as const;
export const TEXTS = ["", "a", "ab", "aba", "pro", "staff", "__proto__", "constructor", "k-1"] as const;
export const ADDRESSES = [
  "192.0.2.1",
  "192.0.2.77",
  "10.1.2.3",
  "::ffff:10.1.2.3",
  "2001:db8::1",
  "2001:db8:0:1::9",
  "nonsense",
] as const;

const BLOCKS = [
  "192.0.2.0/24",
  "192.0.2.64/26",
  "10.1.2.3",
  "private",
  "0.0.0.0/0",
  "2001:db8::/32",
  "2001:db8:0:1::/64",
  "::/0",
];
const PATTERNS = ["", "*", "a", "a*", "*a", "*b*", "a*a", "pro", "k-1", "constructor", "**"];
const HOST_PATTERNS = ["example.com", "*.example.com", "*", "OTHER", "[::1]"];
const PATHS = [
  "/",
  "/a",
  "/a/b",
  "/*",
  "/**",
  "/a/**",
  "/**/b",
  "/*/b",
  "/a/*/b",
  "/**/a/**",
  "/%61/",
  "/A",
  "/**/*/b",
  "/a/./b",
  "/a/../b",
];
const FACTS = ["ip", "method", "path", "host", "header.x-a", "header.X-B", "query.q", "cookie.c", "descriptor.d"];

const oneOrMore = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> =>
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

/** Without the words that are undefined, as a file has it. */
function withoutUndefined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as never;
}

const matchArbitrary: fc.Arbitrary<MatchWords> = fc
  .record({
    method: optional(oneOrMore(fc.constantFrom(...METHODS))),
    path: optional(oneOrMore(fc.constantFrom(...PATHS))),
    host: optional(oneOrMore(fc.constantFrom(...HOST_PATTERNS))),
    ip: optional(oneOrMore(fc.constantFrom(...BLOCKS))),
    "header.x-a": optional(oneOrMore(fc.constantFrom(...PATTERNS))),
    "query.q": optional(oneOrMore(fc.constantFrom(...PATTERNS))),
    "cookie.c": optional(oneOrMore(fc.constantFrom(...PATTERNS))),
    descriptor: optional(
      fc.dictionary(fc.constantFrom("d", "e"), oneOrMore(fc.constantFrom(...PATTERNS)), { minKeys: 1 }),
    ),
  })
  .map((match) => {
    // Most rules have few conditions, or no request would match.
    const words = Object.entries(withoutUndefined(match));
    return Object.fromEntries(words.slice(0, 2)) as MatchWords;
  });

const amountArbitrary = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom("1s", "1m", "1h30m", "1d"))
  .map(([count, per]): Amount => `${count}/${per}`);

const rateArbitrary = fc
  .tuple(fc.constantFrom("", "0.", "10.25", "0.00"), amountArbitrary)
  .map(([before, amount]) => `${before}${amount}` as Amount);

const limitsArbitrary = fc
  .record({
    rate: optional(oneOrMore(rateArbitrary)),
    within: optional(
      fc.oneof(amountArbitrary, fc.dictionary(fc.constantFrom("requests", "tokens"), amountArbitrary, { minKeys: 1 })),
    ),
    quota: amountArbitrary,
  })
  .map(withoutUndefined);

const choiceArbitrary: fc.Arbitrary<Choice> = fc.oneof(
  fc.constant("unlimited" as const),
  fc.constant("deny" as const),
  limitsArbitrary as fc.Arbitrary<Choice>,
);

const byArbitrary = fc.oneof(
  fc.constantFrom(...FACTS),
  fc.uniqueArray(fc.constantFrom(...FACTS), { minLength: 1, maxLength: 3, selector: (fact) => fact.toLowerCase() }),
);

const KEY_TEXTS = ["a", "ab", "k-1", "__proto__", "constructor", "/a", "GET", "example.com"];
const KEY_ADDRESSES = ["192.0.2.1", "::ffff:10.1.2.3", "2001:db8::5", "2001:db8:0:1::/64"];

const ruleArbitrary: fc.Arbitrary<RuleWords> = fc
  .record({
    match: optional(matchArbitrary),
    by: optional(byArbitrary),
    limits: limitsArbitrary,
    plans: optional(
      fc.record({
        from: fc.constantFrom("header.x-plan", "descriptor.d", "host"),
        is: fc.dictionary(fc.constantFrom("pro", "staff", "__proto__", "example.com"), choiceArbitrary, { minKeys: 1 }),
      }),
    ),
    keys: fc.dictionary(fc.constantFrom(...KEY_TEXTS), choiceArbitrary),
    addressKeys: fc.dictionary(fc.constantFrom(...KEY_ADDRESSES), choiceArbitrary),
    mode: optional(fc.constantFrom("enforce" as const, "shadow" as const, "off" as const)),
  })
  .map(({ limits, keys, addressKeys, match, ...words }): RuleWords => {
    const facts = typeof words.by === "string" ? [words.by] : (words.by ?? []);
    const own = facts.length !== 1 ? {} : facts[0] === "ip" ? addressKeys : keys;
    return withoutUndefined({
      ...words,
      match: Object.keys(match ?? {}).length > 0 ? match : undefined,
      keys: Object.keys(own).length > 0 ? own : undefined,
      ...limits,
    });
  });

/** Files that are right. */
export function limitsFileArbitrary(mostRules = 6): fc.Arbitrary<LimitsFile> {
  return fc
    .record({
      ignoreCase: fc.boolean(),
      rules: fc.array(ruleArbitrary, { minLength: 1, maxLength: mostRules }),
    })
    .map(
      ({ ignoreCase, rules }): LimitsFile => ({
        version: 1,
        trustedHeaders: ["X-Plan"],
        domains: {
          api: { ignoreCase, limits: Object.fromEntries(rules.map((rule, i) => [`r${i}`, rule])) },
        },
      }),
    );
}

const ANYTHING: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    1,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "",
    "x",
    "60/1m",
    "1/1",
    "0/1s",
    "0.50/1s",
    "0.0/1s",
    "01/1s",
    "1.1234567/1s",
    "9/1x",
    "/a",
    "a/",
    "/a*",
    "GET",
    "get",
  ],
  ...["ip", "shadow", "deny", "\u{1f600}", "\ud800", "a".repeat(300), "\u{1f600}".repeat(200), [], {}, [1], ["60/1m"]],
  ...[
    { "": 1 },
    { tokens: "5/1m" },
    { from: "ip" },
    { max: 1, ttl: "1s" },
    JSON.parse('{"__proto__": "60/1m"}'),
    ["GET", "GET"],
  ],
];
const WORDS = [
  "match",
  "by",
  "rate",
  "burst",
  "within",
  "inflight",
  "limit",
  "plans",
  "keys",
  "cost",
  "mode",
  "blockFor",
];
const MORE_WORDS = [
  "header.x",
  "header.",
  "cookie.a b",
  "query.x y",
  "path",
  "version",
  "__proto__",
  "toString",
  "$schema",
  "ttl",
  "from",
];

/** Files in which one part was replaced, added or removed. */
export function damagedFileArbitrary(): fc.Arbitrary<unknown> {
  return fc
    .record({
      file: limitsFileArbitrary(2),
      steps: fc.array(fc.nat(), { maxLength: 8 }),
      how: fc.constantFrom("replace", "add", "remove"),
      word: fc.constantFrom(...WORDS, ...MORE_WORDS),
      value: fc.constantFrom(...ANYTHING),
    })
    .map(({ file, steps, how, word, value }) => damaged(file, [2, 0, ...steps], how, word, value));
}

function damaged(
  part: unknown,
  [step, ...steps]: readonly number[],
  how: string,
  word: string,
  value: unknown,
): unknown {
  if (step === undefined || typeof part !== "object" || part === null) return how === "replace" ? value : part;
  const entries = Object.entries(part);
  if (entries.length === 0) return value;
  const at = step % entries.length;
  const isLast = steps.length === 0;
  const changed = entries.flatMap(([key, below], i): [string, unknown][] => {
    if (i !== at) return [[key, below]];
    if (!isLast) return [[key, damaged(below, steps, how, word, value)]];
    if (how === "remove") return [];
    return how === "add"
      ? [
          [key, below],
          [word, value],
        ]
      : [[key, value]];
  });
  return Array.isArray(part) ? changed.map(([, below]) => below) : Object.fromEntries(changed);
}
