import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { Key } from "../../core/key.ts";
import { admittedOf, type ContractTests, same, sizeOf } from "./contract-case.ts";

const ODD_KEYS = [
  "",
  "__proto__",
  "constructor",
  "\u0000",
  "a:b",
  "a\nb",
  "{a}",
  "\ud800",
  "ключ",
  "x".repeat(1_000_000),
];

/** No two of them are one key. */
const KEYS: readonly Key[] = [
  42,
  43n,
  -1.5,
  ["a", "b"],
  ["a,b"],
  ['a","b'],
  '["a","b"]',
  ["a", 1],
  ["a", 1n],
  ["a", "1"],
  [""],
  ["", ""],
  ["\ud800"],
  ["\ud801"],
  ["x".repeat(10_000), 1],
  ["x".repeat(10_000), 2],
];

export const keys: ContractTests = {
  "every key has a count of its own": async (bench) => {
    const limiter = bench.limiter([perSecond(3)]);
    await admittedOf(limiter, 5, "a");
    same("admitted of another key", await admittedOf(limiter, 5, "b"), 3);
    for (let i = 0; i < 200; i += 1) same(`key ${i}`, await admittedOf(limiter, 4, `many-${i}`), 3);
    same("the first key", await limiter.allow("a"), false);
  },
  "every string is a key": async (bench) => {
    const limiter = bench.limiter([perSecond(1)]);
    for (const key of ODD_KEYS) same(`first of ${key.slice(0, 10)}`, await limiter.allow(key), true);
    for (const key of ODD_KEYS) same(`second of ${key.slice(0, 10)}`, await limiter.allow(key), false);
  },
  "tuples, numbers and bigints are keys": async (bench) => {
    const limiter = bench.limiter([perSecond(1)]);
    for (const key of KEYS) same(`first of ${String(key)}`, await limiter.allow(key), true);
    for (const key of KEYS) same(`second of ${String(key)}`, await limiter.allow(key), false);
    same("a number as its text", await limiter.allow("42"), false);
    await limiter.byKey(["a", "b"]).reset();
    same("the tuple that was reset", await limiter.allow(["a", "b"]), true);
    same("another tuple", await limiter.allow(["a,b"]), false);
  },
  "limits that are looked up decide as limits chosen per call": async (bench) => {
    const later = bench.lookUpLimiter(async (key) => (key === "none" ? "deny" : [perSecond(2)]));
    const calls = ["a", "none", "a", "a"].map((key) => later.allow(key));
    same("admitted at once", await Promise.all(calls), [true, false, true, false]);
    same("used", (await later.explain("a"))[0]?.used, 2);
    same("through another limiter", await bench.limiter(() => [perSecond(2)]).allow("a"), false);
  },
  "long keys that differ in their last unit are two keys": async (bench) => {
    const limiter = bench.limiter([perSecond(1)]);
    const longKeys = ["a", "b", "\u0161"].map((end) => "x".repeat(10_000) + end);
    for (const key of longKeys) same(`first of ${key.at(-1)}`, await limiter.allow(key), true);
    for (const key of longKeys) same(`second of ${key.at(-1)}`, await limiter.allow(key), false);
    same("keys", await sizeOf(limiter), 3);
  },
  "reset forgets one key": async (bench) => {
    const limiter = bench.limiter([perSecond(2)]);
    await admittedOf(limiter, 2, "a");
    await admittedOf(limiter, 2, "b");
    await limiter.reset("a");
    same("the key", await admittedOf(limiter, 3, "a"), 2);
    same("another", await limiter.allow("b"), false);
  },
  "clear forgets all keys": async (bench) => {
    const limiter = bench.limiter([perSecond(2)]);
    await admittedOf(limiter, 2, "a");
    await admittedOf(limiter, 2, "b");
    await limiter.clear();
    same("keys", await sizeOf(limiter), 0);
    same("admitted", await admittedOf(limiter, 3, "a"), 2);
  },
  "a sweep drops the idle keys, and no other": async (bench) => {
    const limiter = bench.limiter([perSecond(2), perMinute(10)]);
    await admittedOf(limiter, 2, "old");
    bench.clock.advance(11_999);
    await admittedOf(limiter, 1, "young");
    same("removed too early", await limiter.sweep(), 0);
    bench.clock.advance(1);
    same("removed", await limiter.sweep(), 1);
    same("keys", await sizeOf(limiter), 1);
    same("left to the other key", (await limiter.explain("young"))[1]?.used, 1);
  },
  "sweeping changes no decision": async (bench) => {
    const limiter = bench.limiter([perSecond(3), perMinute(20)]);
    const reference = bench.reference([perSecond(3), perMinute(20)]);
    for (let i = 0; i < 300; i += 1) {
      bench.clock.advance((i * 37) % 700);
      const key = `key-${(i * 7) % 5}`;
      same(`call ${i}`, await limiter.consume(key), reference.consume(key));
      await limiter.sweep();
    }
  },
  "limiters of one name share their keys if their limits are the same in any order": async (bench) => {
    const one = bench.limiter([perSecond(2), perMinute(50)]);
    const other = bench.limiter([perMinute(50), perSecond(2)]);
    await admittedOf(one, 2, "a");
    same("through the other", await other.allow("a"), false);
    same(
      "in the order of the other",
      (await other.explain("a")).map(({ used }) => used),
      [2, 2],
    );
  },
  "limiters with other names or other limits have other buckets": async (bench) => {
    const limiter = bench.limiter([perSecond(2)]);
    await admittedOf(limiter, 2, "a");
    same("another name", await bench.limiter([perSecond(2)], "other").allow("a"), true);
    same("other numbers", await bench.limiter([perSecond(3)]).allow("a"), true);
    same("another unit", await bench.limiter([perSecond(2, { unit: "tokens" })]).allow("a"), true);
  },
};
