import { perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { admittedOf, type ContractTests, same, sizeOf } from "./contract-case.ts";

export const admission: ContractTests = {
  "a new key holds exactly its capacity": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    same("admitted of 8", await admittedOf(limiter, 8, "a"), 5);
  },
  "calls that arrive together are admitted up to the capacity": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    const answers = await Promise.all(Array.from({ length: 20 }, async () => limiter.allow("a")));
    same("admitted of 20", answers.filter(Boolean).length, 5);
  },
  "a cost counts in full": async (bench) => {
    const limiter = bench.limiter([perSecond(10)]);
    same("7 of 10", await limiter.allow("a", 7), true);
    same("4 of the 3 left", await limiter.allow("a", 4), false);
    same("3 of the 3 left", await limiter.allow("a", 3), true);
  },
  "a cost of 0 is allowed, takes nothing and creates no key": async (bench) => {
    const limiter = bench.limiter([perSecond(1)]);
    same("on a new key", await limiter.allow("a", 0), true);
    same("keys", await sizeOf(limiter), 0);
    await limiter.allow("a");
    same("on an empty bucket", await limiter.allow("a", 0), true);
    await limiter.charge("a", 1);
    same("in debt", await limiter.allow("a", 0), false);
  },
  "a cost above the capacity is denied for good": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    const decision = await limiter.consume("a", 6);
    same("reason", !decision.allowed && decision.reason, "cost-over-capacity");
    same("retryAfterMs", !decision.allowed && decision.retryAfterMs, Number.POSITIVE_INFINITY);
    same("admitted afterwards", await admittedOf(limiter, 6, "a"), 5);
  },
  "a denial charges nothing": async (bench) => {
    const limiter = bench.limiter([perSecond(2)]);
    await admittedOf(limiter, 2, "a");
    for (let i = 0; i < 10; i += 1) await limiter.consume("a");
    bench.clock.advance(500);
    same("after the time of one unit", await limiter.allow("a"), true);
  },
  "several limits take all or nothing": async (bench) => {
    const limits = [perSecond(2), perMinute(3)];
    const limiter = bench.limiter(limits);
    await admittedOf(limiter, 3, "a");
    const before = await limiter.explain("a");
    for (let i = 0; i < 10; i += 1) await limiter.allow("a");
    same("used after denials by the first limit", await limiter.explain("a"), before);
    bench.clock.advance(1_000);
    same("admitted a second later", await admittedOf(limiter, 3, "a"), 1);
    const second = (await limiter.explain("a"))[0];
    same("left of the first limit after denials by the second", second?.remaining, 1);
  },
  "a denial names the limit with the longest wait": async (bench) => {
    const limiter = bench.limiter([perSecond(1), perMinute(1)]);
    await limiter.allow("a");
    const decision = await limiter.consume("a");
    same("binding limit", decision.limit?.name, "1-per-1m");
    same("retryAfterMs", !decision.allowed && decision.retryAfterMs, 60_000);
    bench.clock.advance(59_999.999);
    same("a microsecond early", await limiter.allow("a"), false);
    bench.clock.advance(0.001);
    same("on time", await limiter.allow("a"), true);
  },
  "an allowed call names the limit with the smallest fraction left": async (bench) => {
    const limiter = bench.limiter([perSecond(10), perMinute(5)]);
    const decision = await limiter.consume("a");
    same("binding limit", decision.limit?.name, "5-per-1m");
    same("remaining", decision.remaining, 4);
  },
  "costs in two units are taken together": async (bench) => {
    const limiter = bench.limiter([perMinute(10), perMinute(100, { unit: "tokens" })]);
    same("within both", await limiter.allow("a", { requests: 1, tokens: 80 }), true);
    same("over one", await limiter.allow("a", { requests: 1, tokens: 30 }), false);
    const left = (await limiter.explain("a")).map(({ remaining }) => remaining);
    same("left", left, [9, 20]);
    same("a plain cost means requests", await limiter.allow("a", 9), true);
    same("tokens after it", (await limiter.explain("a"))[1]?.remaining, 20);
  },
  "odd rates keep their fractions": async (bench) => {
    const limiter = bench.limiter([tokenBucket({ capacity: 3, refill: 7, per: "3s" })]);
    await admittedOf(limiter, 3, "a");
    let admitted = 0;
    for (let ms = 0; ms < 30_000; ms += 10) {
      bench.clock.advance(10);
      if (await limiter.allow("a")) admitted += 1;
    }
    same("admitted in 30 s at 7 per 3 s", admitted, 70);
  },
};
