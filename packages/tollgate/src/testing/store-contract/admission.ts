import { perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { type ContractTests, same } from "./contract-case.ts";
import { scenario } from "./scenario.ts";

export const admission: ContractTests = {
  "a new key holds exactly its capacity": scenario([perSecond(5)], [0, "admits 5/8"]),
  "calls that arrive together are admitted up to the capacity": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    const answers = await Promise.all(Array.from({ length: 20 }, async () => limiter.allow("a")));
    same("admitted of 20", answers.filter(Boolean).length, 5);
  },
  "a cost counts in full": scenario([perSecond(10)], [0, "allow 7 yes, allow 4 no, allow 3 yes"]),
  "a cost of 0 is allowed, takes nothing and creates no key": scenario(
    [perSecond(1)],
    [0, "allow 0 yes, keys 0, admits 1/1, allow 0 yes, charge 1, allow 0 no"],
  ),
  "a cost above the capacity is denied for good": scenario(
    [perSecond(5)],
    [0, "consume 6 reason=cost-over-capacity retryAfterMs=Infinity, admits 5/6"],
  ),
  "a denial charges nothing": scenario([perSecond(2)], [0, "admits 2/12"], [500, "admits 1/1"]),
  "several limits take all or nothing": scenario(
    [perSecond(2), perMinute(3)],
    [0, "admits 2/12, used 2 2"],
    [1_000, "admits 1/3, left 1 0"],
  ),
  "a denial names the limit with the longest wait": scenario(
    [perSecond(1), perMinute(1)],
    [0, "admits 1/1, consume 1 limit=1-per-1m retryAfterMs=60000"],
    [59_999.999, "admits 0/1"],
    [0.001, "admits 1/1"],
  ),
  "an allowed call names the limit with the smallest fraction left": scenario(
    [perSecond(10), perMinute(5)],
    [0, "consume 1 limit=5-per-1m remaining=4"],
  ),
  "costs in two units are taken together": scenario(
    [perMinute(10), perMinute(100, { unit: "tokens" })],
    [0, "allow requests:1+tokens:80 yes, allow requests:1+tokens:30 no, used 1 80, allow 9 yes, used 10 80"],
  ),
  "odd rates keep their fractions": async (bench) => {
    const limiter = bench.limiter([tokenBucket({ capacity: 3, refill: 7, per: "3s" })]);
    await limiter.consume("a", 3);
    let admitted = 0;
    for (let ms = 0; ms < 30_000; ms += 10) {
      bench.clock.advance(10);
      if (await limiter.allow("a")) admitted += 1;
    }
    same("admitted in 30 s at 7 per 3 s", admitted, 70);
  },
};
