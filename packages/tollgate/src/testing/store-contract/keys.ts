import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import { type ContractTest, type ContractTests, same } from "./contract-case.ts";
import { scenario, scenarioOf, sizeOf } from "./scenario.ts";

/** No two of them are one key. Long ones differ in their last unit, or in a second part. */
const STRINGS: readonly string[] = [
  ...["", "__proto__", "constructor", "\u0000", "a:b", "a\nb", "{a}", "\ud800", "ключ", "x".repeat(1_000_000)],
  ...["a", "b", "\u0161"].map((end) => "x".repeat(10_000) + end),
];

export const keys: ContractTests = {
  "every key has a count of its own": scenario(
    [perSecond(3)],
    [0, "admits 3/5, key b, admits 3/5"],
    [0, ...Array.from({ length: 200 }, (_, i) => `key many-${i}, admits 3/4`)],
    [0, "key a, admits 0/1"],
  ),
  "every string is a key": admitEachOnce(STRINGS),
  "reset forgets one key": scenario(
    [perSecond(2)],
    [0, "admits 2/2, key b, admits 2/2, key a, reset, admits 2/3, key b, admits 0/1"],
  ),
  "clear forgets all keys": scenario(
    [perSecond(2)],
    [0, "admits 2/2, key b, admits 2/2, clear, keys 0, key a, admits 2/3"],
  ),
  "a sweep drops the idle keys, and no other": scenario(
    [perSecond(2), perMinute(10)],
    [0, "key old, admits 2/2"],
    [11_999, "key young, admits 1/1, sweep 0"],
    [1, "sweep 1, keys 1, used 1 1"],
  ),
  "limiters of one name share their keys if their limits are the same in any order": scenarioOf(
    (bench) => [bench.limiter([perSecond(2), perMinute(50)]), bench.limiter([perMinute(50), perSecond(2)])],
    [0, "admits 2/2, by 1, admits 0/1, left 48 0"],
  ),
  "limiters with other names or other limits have other buckets": scenarioOf(
    (bench) => [
      bench.limiter([perSecond(2)]),
      bench.limiter([perSecond(2)], "other"),
      bench.limiter([perSecond(3)]),
      bench.limiter([perSecond(2, { unit: "tokens" })]),
    ],
    [0, "admits 2/3, by 1, admits 2/3, by 2, admits 3/4, by 3, used 0"],
  ),
};

/** Every key is admitted once, and then denied. */
function admitEachOnce(all: readonly string[]): ContractTest {
  return async (bench) => {
    const limiter = bench.limiter([perSecond(1)]);
    for (const expected of [true, false]) {
      for (const [i, key] of all.entries()) same(`key ${i}`, await limiter.allow(key), expected);
    }
    same("keys", await sizeOf(limiter), all.length);
  };
}
