import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { type ContractTest, type ContractTests, same } from "./contract-case.ts";
import { combined, MOST_JITTER_MS, type Moment, type Stage, scenario, scenarioOf } from "./scenario.ts";

/** What stores with `blocks` have to do. For other stores these cases do nothing. */
export const blocking: ContractTests = ofStoresWithBlocks({
  "a blocked key is denied until its block ends, to the microsecond": scenario(
    [perSecond(5)],
    [0, ({ limiter }) => limiter.block("a", 1_500.001, { reason: "scraping" }), "blocked 1500.001"],
    [0, "consume 1 reason=blocked retryAfterMs=1500.001 block.endsInMs=1500.001 block.reason=scraping"],
    [1_500, "admits 0/1, key b, admits 5/6, key a"],
    [0.001, "blocked no, admits 5/6"],
  ),
  "a blocked key is denied by every verb and at every cost, and nothing is taken": scenario(
    [perSecond(5)],
    [0, "admits 4/4, block 1m", viaHandleAndBatch],
    ...[0, 1, 9].map((n): Moment => [0, `allow ${n} no, peek ${n} reason=blocked, consume ${n} reason=blocked`]),
    [0, "used 4"],
    [400, "used 2, refund 1, used 1"],
  ),
  "a denial by a block waits for the limits too": scenario(
    [fixedWindow({ limit: 1, window: "10s", anchor: "first-use" })],
    [0, "admits 1/1, block 3s, consume 1 retryAfterMs=10000, block 20s, consume 1 retryAfterMs=20000"],
    [0, "consume 2 retryAfterMs=Infinity"],
  ),
  "a block replaces another one, and unblock ends it": scenario(
    [perSecond(5)],
    [0, "block 1h", ({ bench, limiter }) => limiter.block("a", { until: bench.clock.now() + 2_000 })],
    [0, "consume 1 reason=blocked block.endsInMs=2000 block.reason=undefined"],
    [0, ({ limiter }) => limiter.handle("a").block("1h"), "unblock yes, unblock no, admits 5/6"],
  ),
  "a block stays when counts are forgotten and limits change": async (bench) => {
    let limits: ChosenLimits = [perSecond(5)];
    const choose = (chosen: ChosenLimits) => (): void => {
      limits = chosen;
    };
    const others = Array.from({ length: 300 }, (_, i) => `key other-${i}, admits 1/1`);
    await scenarioOf(
      () => [bench.limiter(() => limits), bench.limiter([perSecond(1)]), bench.limiter([perSecond(1)], "other")],
      [0, "admits 1/1, block 1h, reset, clear"],
      [60_000, "sweep", ...others, "key a, consume 1 reason=blocked"],
      [0, choose([perMinute(9), perSecond(4)]), "consume 1 reason=blocked"],
      [0, choose("unlimited"), "consume 1 reason=blocked remaining=0"],
      [0, "by 1, consume 1 reason=blocked, by 2, admits 1/1"],
    )(bench);
  },
  "a limit with blockFor blocks with the first denial, once": scenario(
    [perSecond(2, { blockFor: "10m" })],
    [0, "admits 2/2, peek 1 allowed=no, allow 3 no, blocked no"],
    [0, "consume 1 reason=exhausted retryAfterMs=600000 block.endsInMs=600000"],
    [599_999, "consume 1 reason=blocked retryAfterMs=1 block.endsInMs=1"],
    [1, "admits 2/2, consume 1 block.endsInMs=600000"],
  ),
  "a limit with extend begins its time anew with each denial": scenario(
    [perSecond(1, { blockFor: { duration: "10s", extend: true } })],
    [0, "admits 1/2"],
    [9_000, "peek 1 block.endsInMs=1000, consume 1 block.endsInMs=10000"],
    [9_999, async ({ limiter }) => same("a batch", await limiter.allowMany(["a"], new Uint8Array(1)), 0)],
    [9_999.999, "blocked 0.001"],
    [0.001, "admits 1/1"],
  ),
  "a call that waits does not extend a block, and is served when it ends": scenario(
    [fixedWindow({ limit: 5, window: "1m", anchor: "first-use", blockFor: { duration: "10m", extend: true } })],
    [0, "admits 5/6, wait one"],
    [300_000, "refund 1, ended none, blocked 300000"],
    [300_000 + MOST_JITTER_MS, "ended one"],
  ),
  "blocks grow from offence to offence, and offences are forgotten": scenario(
    [perSecond(1, { blockFor: { durations: ["1m", "10m", "1h"], forgetAfter: "1d" } })],
    [0, "admits 1/2, blocked 60000"],
    [60_000, "admits 1/2, blocked 600000"],
    [600_000, "admits 1/2, blocked 3600000"],
    [3_600_000, "admits 1/2, blocked 3600000"],
    [3_600_000 + 86_399_999.999, "admits 1/2, blocked 3600000"],
    [3_600_000 + 86_400_000, "admits 1/2, blocked 60000"],
    [60_000, "unblock no, admits 1/2, blocked 60000"],
  ),
  "a charge that leaves nothing blocks, and a charge to a blocked key counts": scenario(
    [fixedWindow({ limit: 5, window: "1m", anchor: "first-use", blockFor: "10m" })],
    [0, "charge 1, charge 1, charge 1, charge 1, allow 0 yes"],
    [0, "charge 1 allowed=yes retryAfterMs=600000 block.endsInMs=600000, allow 0 no"],
    [1_000, "charge 2 allowed=no block.endsInMs=599000, used 7"],
  ),
  "a block of one limiter denies a combination, which takes nothing and begins no block": scenarioOf(
    combined([perSecond(2, { blockFor: "1m" })], [perSecond(5)]),
    [0, "by 2, block 10s, by 0, admits 0/4, consume 3 limiter=two limit=5-per-1s"],
    [0, "by 1, blocked no, used 0, by 2, used 0"],
    [0, "by 0, unblock, admits 2/3, by 1, consume 1 reason=blocked, by 2, admits 1/1"],
    [0, "by 0, block 1h, by 1, admits 0/1, by 2, admits 0/1"],
  ),
});

async function viaHandleAndBatch({ limiter }: Stage): Promise<void> {
  const [handle, out] = [limiter.handle("a"), new Uint8Array(3)];
  same("a batch", [await limiter.allowMany(["a", "b", "a"], out), ...out], [1, 0, 1, 0]);
  same("handles", [await handle.allow(), (await handle.consume(9)).allowed], [false, false]);
}

function ofStoresWithBlocks(cases: ContractTests): ContractTests {
  const guarded: Record<string, ContractTest> = {};
  for (const [name, test] of Object.entries(cases)) {
    guarded[name] = async (bench) => (bench.store.blocks === undefined ? undefined : test(bench));
  }
  return guarded;
}
