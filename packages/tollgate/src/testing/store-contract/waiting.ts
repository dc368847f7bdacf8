import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { ContractTests } from "./contract-case.ts";
import { MOST_JITTER_MS, scenario, scenarioOf } from "./scenario.ts";

const ONE_A_SECOND = [tokenBucket({ capacity: 1, refill: 1, per: "1s" })];
const TEN_A_MINUTE = [fixedWindow({ limit: 10, window: "1m", anchor: "first-use" })];
const ONE_PLACE = [concurrency({ max: 1, ttl: "1h" })];

/**
 * Calls that wait for their turn: the limiter keeps the line, and the store has to say when to ask again, and to admit
 * then.
 */
export const waiting: ContractTests = {
  "calls that wait are served in the order in which they came, and not overtaken": scenario(
    TEN_A_MINUTE,
    [0, "allow 7 yes, wait large/9, wait small/1, ended none, allow 1 no, allow 0 yes"],
    [0, "peek 2 reason=others-waiting, consume 2 reason=others-waiting, used 7"],
    [60_000 + MOST_JITTER_MS, "ended large+small, used 10, allow 1 no"],
  ),
  "calls that wait are served one at a time, each as soon as it passes": scenario(
    ONE_A_SECOND,
    [0, "allow 1 yes, wait one, wait two, wait three"],
    [999, "ended none"],
    [1 + MOST_JITTER_MS, "ended one"],
    [1_000 + MOST_JITTER_MS, "ended one+two"],
    [1_000 + MOST_JITTER_MS, "ended one+two+three, used 1"],
  ),
  "a wait that is aborted, or could not end in time, takes nothing": scenario(
    ONE_A_SECOND,
    [0, "allow 1 yes, wait late/1/999, wait never/2, wait aborted/1, wait behind/1/1999, wait last/1/2500"],
    [0, "ended late:exhausted+never:cost-over-capacity+behind:others-waiting"],
    [0, "abort, ended late:exhausted+never:cost-over-capacity+behind:others-waiting+aborted:aborted"],
    [999, "allow 1 no"],
    [1 + MOST_JITTER_MS, "ended late:exhausted+never:cost-over-capacity+behind:others-waiting+aborted:aborted+last"],
    [0, "used 1"],
  ),
  "a refund, a reset and a clear serve calls that wait": scenario(
    [perMinute(1)],
    [0, "allow 1 yes, wait one, refund 1, ended one, wait two, reset, ended one+two, wait three, clear"],
    [0, "ended one+two+three"],
  ),
  "places are handed on in the order in which calls came, by other processes, too": scenarioOf(
    (bench) => [bench.limiter(ONE_PLACE), bench.limiter(ONE_PLACE)],
    [0, "reserve 1 yes, by 1, acquire one, acquire two, ended none, cancel 0"],
    [1_100, "ended one, used 1, cancel 1, ended one+two, used 1"],
  ),
};
