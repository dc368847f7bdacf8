import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { type Bench, type ContractTests, same } from "./contract-case.ts";
import { scenario } from "./scenario.ts";

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AHEAD_MS = 5.5 * HOUR_MS;
/** From then on, calls come a quarter of a second before a second ends. */
const toQuarterBefore = ({ bench: { clock } }: { readonly bench: Bench }): void =>
  clock.set(Math.ceil(clock.now() / 1_000) * 1_000 + 750);
/** In India, whose clocks are never changed. */
const toQuarterBeforeMidnight = ({ bench: { clock } }: { readonly bench: Bench }): void =>
  clock.set(Math.ceil((clock.now() + AHEAD_MS) / DAY_MS) * DAY_MS - AHEAD_MS - 250);

export const time: ContractTests = {
  "one unit comes back after its time, and no second one": scenario(
    [perSecond(5)],
    [0, "admits 5/5"],
    [199.999, "admits 0/1"],
    [0.001, "admits 1/2"],
  ),
  "a slow limit that is called often admits on time": scenario(
    [perMinute(1)],
    [0, "admits 1/1"],
    ...Array.from({ length: 599 }, () => [100, "admits 0/1"] as const),
    [100, "admits 1/1"],
  ),
  "a key is exactly full after ten idle years": scenario(
    [perSecond(5)],
    [0, "admits 3/3"],
    [TEN_YEARS_MS, "admits 5/7"],
  ),
  "a clock that goes back refills nothing and makes no wait longer": scenario(
    [perSecond(5)],
    [0, "admits 5/5"],
    [-HOUR_MS, "admits 0/1"],
    [HOUR_MS, "admits 0/1"],
    [200, "admits 1/3"],
  ),
  "a denial names the first time at which the call passes": async (bench) => {
    const limiter = bench.limiter([tokenBucket({ capacity: 7, refill: 11, per: "3s" })]);
    await limiter.allow("a", 7);
    for (const cost of [1, 3, 7, 2]) {
      const { allowed, retryAfterMs } = await limiter.consume("a", cost);
      bench.clock.advance(retryAfterMs - 0.001);
      const early = await limiter.allow("a", cost);
      bench.clock.advance(0.001);
      same(
        `cost ${cost}: at once, early, on time`,
        [allowed, early, await limiter.allow("a", cost)],
        [false, false, true],
      );
    }
  },
  "a sliding window forgets each group with its last unit": scenario(
    [slidingWindow({ limit: 5, window: "1s", resolution: "10ms" })],
    [0, "charge 3"],
    [20, "charge 4, consume 1 retryAfterMs=980 usedAfterRetry=4"],
    [980, "admits 1/2"],
  ),
  "units within one resolution leave together": scenario(
    [slidingWindow({ limit: 2, window: "1s", resolution: "10ms" })],
    [0, "admits 1/1"],
    [9, "admits 1/1"],
    [999, "admits 0/2"],
    [1, "admits 2/3"],
  ),
  "a window of more than a thousand groups admits its rate": scenario(
    [slidingWindow({ limit: 1_100, window: "1100s", resolution: 0 })],
    ...Array.from({ length: 1_400 }, () => [1_000, "admits 1/1"] as const),
  ),
  "a fixed window on the clock ends at a multiple of its length": scenario(
    [fixedWindow({ limit: 2, window: "1s" })],
    [0, toQuarterBefore, "admits 2/3, consume 1 retryAfterMs=250"],
    [250, "admits 2/3"],
  ),
  "a day of a time zone begins at its midnight": scenario(
    [fixedWindow({ limit: 2, window: "day", timeZone: "Asia/Kolkata" })],
    [0, toQuarterBeforeMidnight, "admits 2/3, consume 1 retryAfterMs=250"],
    [250, "admits 2/3"],
    [DAY_MS - 0.001, "admits 0/1"],
    [0.001, "admits 2/3"],
  ),
  "a fixed window from first use ends its length after the first unit": scenario(
    [fixedWindow({ limit: 2, window: "1s", anchor: "first-use" })],
    [0, "admits 1/1"],
    [600, "admits 1/1"],
    [399.999, "admits 0/1"],
    [0.001, "admits 2/3"],
  ),
  "a bucket that starts empty starts to fill with a denied first touch": scenario(
    [tokenBucket({ capacity: 2, refill: 1, per: "1s", initial: "empty" })],
    [0, "admits 0/1"],
    [1_000, "admits 1/2"],
  ),
  "a bucket that starts empty is empty again after its idle time": scenario(
    [tokenBucket({ capacity: 2, refill: 1, per: "1s", initial: "empty", idleTtl: "1m" })],
    [0, "admits 0/1"],
    [61_999.999, "left 2"],
    [0.001, "admits 0/2"],
  ),
};
