import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { admittedOf, type ContractTests, same } from "./contract-case.ts";

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const HOUR_MS = 3_600_000;

export const time: ContractTests = {
  "one unit comes back after its time, and no second one": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await admittedOf(limiter, 5, "a");
    bench.clock.advance(199.999);
    same("a microsecond early", await limiter.allow("a"), false);
    bench.clock.advance(0.001);
    same("admitted on time", await admittedOf(limiter, 2, "a"), 1);
  },
  "a slow limit that is called often admits on time": async (bench) => {
    const limiter = bench.limiter([perMinute(1)]);
    await limiter.allow("a");
    let admittedAtMs: number | undefined;
    for (let ms = 100; ms <= 60_000; ms += 100) {
      bench.clock.advance(100);
      if (admittedAtMs === undefined && (await limiter.allow("a"))) admittedAtMs = ms;
    }
    same("admitted after", admittedAtMs, 60_000);
  },
  "a key is exactly full after ten idle years": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await admittedOf(limiter, 3, "a");
    bench.clock.advance(TEN_YEARS_MS);
    same("admitted of 7", await admittedOf(limiter, 7, "a"), 5);
  },
  "a clock that goes back refills nothing and makes no wait longer": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await admittedOf(limiter, 5, "a");
    bench.clock.advance(-HOUR_MS);
    same("an hour back", await limiter.allow("a"), false);
    bench.clock.advance(HOUR_MS);
    same("where it was", await limiter.allow("a"), false);
    bench.clock.advance(200);
    same("admitted one unit later", await admittedOf(limiter, 3, "a"), 1);
  },
  "a denial names the first time at which the call passes": async (bench) => {
    const limiter = bench.limiter([tokenBucket({ capacity: 7, refill: 11, per: "3s" })]);
    await limiter.allow("a", 7);
    for (const cost of [1, 3, 7, 2]) {
      const decision = await limiter.consume("a", cost);
      if (decision.allowed) throw new Error(`cost ${cost}: expected a denial`);
      bench.clock.advance(decision.retryAfterMs - 0.001);
      same(`cost ${cost} a microsecond early`, await limiter.allow("a", cost), false);
      bench.clock.advance(0.001);
      same(`cost ${cost} on time`, await limiter.allow("a", cost), true);
    }
  },
  "a sliding window forgets each group with its last unit": async (bench) => {
    const limiter = bench.limiter([slidingWindow({ limit: 5, window: "1s", resolution: "10ms" })]);
    await limiter.charge("a", 3);
    bench.clock.advance(20);
    await limiter.charge("a", 4);
    const decision = await limiter.consume("a");
    same("retryAfterMs", !decision.allowed && decision.retryAfterMs, 980);
    same("usedAfterRetry", !decision.allowed && decision.usedAfterRetry, 4);
    bench.clock.advance(980);
    same("admitted when the first group left", await admittedOf(limiter, 2, "a"), 1);
  },
  "units within one resolution leave together": async (bench) => {
    const limiter = bench.limiter([slidingWindow({ limit: 2, window: "1s", resolution: "10ms" })]);
    await limiter.allow("a");
    bench.clock.advance(9);
    await limiter.allow("a");
    bench.clock.advance(999);
    same("a window after the first unit", await admittedOf(limiter, 2, "a"), 0);
    bench.clock.advance(1);
    same("a window after the second", await admittedOf(limiter, 3, "a"), 2);
  },
  "a window of more than a thousand groups admits its rate": async (bench) => {
    const limiter = bench.limiter([slidingWindow({ limit: 1_100, window: "1100s", resolution: 0 })]);
    let admitted = 0;
    for (let call = 0; call < 2_400; call += 1) {
      if (await limiter.allow("a")) admitted += 1;
      bench.clock.advance(1_000);
    }
    same("admitted of 2,400", admitted, 2_400);
  },
  "a fixed window on the clock ends at a multiple of its length": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 2, window: "1s" })]);
    bench.clock.set(Math.ceil(bench.clock.now() / 1_000) * 1_000 + 750);
    same("admitted of 3", await admittedOf(limiter, 3, "a"), 2);
    const decision = await limiter.consume("a");
    same("retryAfterMs", !decision.allowed && decision.retryAfterMs, 250);
    bench.clock.advance(250);
    same("admitted in the next window", await admittedOf(limiter, 3, "a"), 2);
  },
  "a fixed window from first use ends its length after the first unit": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 2, window: "1s", anchor: "first-use" })]);
    await limiter.allow("a");
    bench.clock.advance(600);
    await limiter.allow("a");
    bench.clock.advance(399.999);
    same("a microsecond early", await limiter.allow("a"), false);
    bench.clock.advance(0.001);
    same("admitted on time", await admittedOf(limiter, 3, "a"), 2);
  },
  "a bucket that starts empty starts to fill with a denied first touch": async (bench) => {
    const limiter = bench.limiter([tokenBucket({ capacity: 2, refill: 1, per: "1s", initial: "empty" })]);
    same("first touch", await limiter.allow("a"), false);
    bench.clock.advance(1_000);
    same("admitted a second later", await admittedOf(limiter, 2, "a"), 1);
  },
  "a bucket that starts empty is empty again after its idle time": async (bench) => {
    const limits = [tokenBucket({ capacity: 2, refill: 1, per: "1s", initial: "empty", idleTtl: "1m" })];
    const limiter = bench.limiter(limits);
    await limiter.allow("a");
    bench.clock.advance(61_999.999);
    same("remaining just before", (await limiter.explain("a"))[0]?.remaining, 2);
    bench.clock.advance(0.001);
    same("admitted after it", await admittedOf(limiter, 2, "a"), 0);
  },
};
