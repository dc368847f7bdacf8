import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import { type ContractTests, same } from "./contract-case.ts";
import { scenario } from "./scenario.ts";

export const admission: ContractTests = {
  "a new key holds exactly its capacity": scenario([perSecond(5)], [0, "admits 5/8"]),
  "calls that arrive together are admitted up to the capacity": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    const answers = await Promise.all(Array.from({ length: 20 }, async () => limiter.allow("a")));
    same("admitted of 20", answers.filter(Boolean).length, 5);
  },
  "a cost of 0 is allowed, takes nothing and creates no key": scenario(
    [perSecond(1)],
    [0, "allow 0 yes, keys 0, admits 1/1, allow 0 yes, charge 1, allow 0 no"],
  ),
  "a cost above the capacity is denied for good": scenario(
    [perSecond(5)],
    [0, "consume 6 reason=cost-over-capacity retryAfterMs=Infinity, admits 5/6"],
  ),
  "several limits take all or nothing": scenario(
    [perSecond(2), perMinute(3)],
    [0, "admits 2/12, used 2 2"],
    [1_000, "admits 1/3, left 1 0"],
  ),
  "costs in two units are taken together": scenario(
    [perMinute(10), perMinute(100, { unit: "tokens" })],
    [0, "allow requests:1+tokens:80 yes, allow requests:1+tokens:30 no, used 1 80, allow 9 yes, used 10 80"],
  ),
};
