import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import {
  type AnyLimiter,
  admittedOf,
  type ContractTest,
  type ContractTests,
  combineAny,
  same,
} from "./contract-case.ts";

/** What stores with `blocks` have to do. For other stores these cases do nothing. */
export const blocking: ContractTests = ofStoresWithBlocks({
  "a blocked key is denied until its block ends, to the microsecond": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await limiter.block("a", 1_500.001, { reason: "scraping" });
    same("blocked until", await limiter.blockedUntil("a"), bench.clock.now() + 1_500.001);
    same("the decision", await outcomeOf(limiter, "a"), ["blocked", 1_500.001, 1_500.001, "scraping"]);
    same("another key", await admittedOf(limiter, 6, "b"), 5);
    bench.clock.advance(1_500);
    same("a microsecond early", await limiter.allow("a"), false);
    bench.clock.advance(0.001);
    same("blocked until, afterwards", await limiter.blockedUntil("a"), undefined);
    same("admitted afterwards", await admittedOf(limiter, 6, "a"), 5);
  },
  "a blocked key is denied by every verb and at every cost, and nothing is taken": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await admittedOf(limiter, 4, "a");
    const handle = limiter.handle("a");
    await limiter.block("a", "1m");
    const out = new Uint8Array(3);
    same("a batch", [await limiter.allowMany(["a", "b", "a"], out), ...out], [1, 0, 1, 0]);
    same("handles", [await handle.allow(), await limiter.byKey("a").allow()], [false, false]);
    for (const cost of [0, 1, 9]) {
      same(`allow ${cost}`, await limiter.allow("a", cost), false);
      const peeked = await limiter.peek("a", cost);
      same(`peek ${cost}`, peeked.allowed || peeked.reason, "blocked");
      same(`consume ${cost}`, await handle.consume(cost), peeked);
    }
    same("used", (await limiter.explain("a"))[0]?.used, 4);
    bench.clock.advance(400);
    same("used after a refill", (await limiter.explain("a"))[0]?.used, 2);
    await limiter.refund("a", 1);
    same("used after a refund", (await limiter.explain("a"))[0]?.used, 1);
  },
  "a denial by a block waits for the limits too": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 1, window: "10s", anchor: "first-use" })]);
    await limiter.allow("a");
    await limiter.block("a", "3s");
    same("the limit's wait is later", (await limiter.consume("a")).retryAfterMs, 10_000);
    await limiter.block("a", "20s");
    same("the block is later", (await limiter.consume("a")).retryAfterMs, 20_000);
    same("a cost that never passes", (await limiter.consume("a", 2)).retryAfterMs, Number.POSITIVE_INFINITY);
  },
  "a block replaces another one, and unblock ends it": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    await limiter.block("a", "1h", { reason: "first" });
    await limiter.block("a", { until: bench.clock.now() + 2_000 });
    same("the second one", await outcomeOf(limiter, "a"), ["blocked", 2_000, 2_000, undefined]);
    await limiter.handle("a").block("1h");
    same("unblock", [await limiter.unblock("a"), await limiter.unblock("a")], [true, false]);
    same("admitted", await admittedOf(limiter, 6, "a"), 5);
  },
  "a block stays when counts are forgotten and limits change": async (bench) => {
    let limits: ChosenLimits = [perSecond(5)];
    const limiter = bench.limiter(() => limits);
    await limiter.allow("a");
    await limiter.block("a", "1h");
    await limiter.reset("a");
    await limiter.clear();
    bench.clock.advance(60_000);
    await limiter.sweep();
    for (let i = 0; i < 300; i += 1) await limiter.allow(`key-${i}`);
    same("after reset, clear and sweep", (await outcomeOf(limiter, "a"))[0], "blocked");
    limits = [perMinute(9), perSecond(4)];
    same("under other limits", (await outcomeOf(limiter, "a"))[0], "blocked");
    limits = "unlimited";
    same("without limits", (await outcomeOf(limiter, "a"))[0], "blocked");
    same("by another limiter of the name", (await outcomeOf(bench.limiter([perSecond(1)]), "a"))[0], "blocked");
    same("by a limiter of another name", await bench.limiter([perSecond(1)], "other").allow("a"), true);
  },
  "a limit with blockFor blocks with the first denial, once": async (bench) => {
    const limiter = bench.limiter([perSecond(2, { blockFor: "10m" })]);
    same("admitted", await admittedOf(limiter, 2, "a"), 2);
    same("no block before a denial", await limiter.blockedUntil("a"), undefined);
    await limiter.peek("a");
    same("no block by a peek", await limiter.blockedUntil("a"), undefined);
    same("a cost that never passes", await limiter.allow("a", 3), false);
    same("no block by such a cost", await limiter.blockedUntil("a"), undefined);
    same("the denial that begins it", await outcomeOf(limiter, "a"), ["exhausted", 600_000, 600_000, undefined]);
    bench.clock.advance(599_999);
    same("a denial by it", await outcomeOf(limiter, "a"), ["blocked", 1, 1, undefined]);
    bench.clock.advance(1);
    same("admitted afterwards", await admittedOf(limiter, 3, "a"), 2);
    same("the next offence", (await outcomeOf(limiter, "a"))[2], 600_000);
  },
  "a limit with extend begins its time anew with each denial": async (bench) => {
    const limiter = bench.limiter([perSecond(1, { blockFor: { duration: "10s", extend: true } })]);
    await admittedOf(limiter, 2, "a");
    bench.clock.advance(9_000);
    await limiter.peek("a");
    same("before", (await limiter.handle("a").consume()).block?.endsInMs, 10_000);
    bench.clock.advance(9_999);
    same("a denied batch", await limiter.allowMany(["a"], new Uint8Array(1)), 0);
    bench.clock.advance(9_999.999);
    same("a microsecond early", (await limiter.blockedUntil("a")) !== undefined, true);
    bench.clock.advance(0.001);
    same("afterwards", await limiter.allow("a"), true);
  },
  "blocks grow from offence to offence, and offences are forgotten": async (bench) => {
    const blockFor = { durations: ["1m", "10m", "1h"], forgetAfter: "1d" } as const;
    const limiter = bench.limiter([perSecond(1, { blockFor })]);
    const offend = async () => {
      await admittedOf(limiter, 2, "a");
      const { block } = await limiter.peek("a");
      bench.clock.advance(block?.endsInMs ?? 0);
      return block?.endsInMs;
    };
    same("offences", [await offend(), await offend(), await offend(), await offend()], [60_000, 600_000, 3.6e6, 3.6e6]);
    bench.clock.advance(86_399_999.999);
    same("just before a day has passed", await offend(), 3.6e6);
    bench.clock.advance(86_400_000);
    same("after a day", await offend(), 60_000);
    await limiter.unblock("a");
    same("after unblock", await offend(), 60_000);
  },
  "a charge that leaves nothing blocks, and a charge to a blocked key counts": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 5, window: "1m", anchor: "first-use", blockFor: "10m" })]);
    for (let failure = 1; failure <= 4; failure += 1) await limiter.charge("a", 1);
    same("after four failures", await limiter.allow("a", 0), true);
    const fifth = await limiter.charge("a", 1);
    same("the fifth", [fifth.allowed, fifth.block?.endsInMs, fifth.retryAfterMs], [true, 600_000, 600_000]);
    same("at no cost", await limiter.allow("a", 0), false);
    bench.clock.advance(1_000);
    const sixth = await limiter.charge("a", 2);
    same("the sixth", [sixth.allowed, sixth.block?.endsInMs], [false, 599_000]);
    same("used", (await limiter.explain("a"))[0]?.used, 7);
  },
  "a block of one limiter denies a combination, which takes nothing and begins no block": async (bench) => {
    const client = bench.limiter([perSecond(2, { blockFor: "1m" })], "client");
    const all = bench.limiter([perSecond(5)], "all");
    const both = combineAny(client, all);
    await all.block("a", "10s");
    same("admitted", await admittedOf(both, 4, "a"), 0);
    const { limiter: name, limit } = await both.consume("a", 3);
    same("the limiter and its limit", [name, limit?.name], ["all", "5-per-1s"]);
    same("no block of the other", await client.blockedUntil("a"), undefined);
    same("used", [(await client.explain("a"))[0]?.used, (await all.explain("a"))[0]?.used], [0, 0]);
    await both.unblock("a");
    same("admitted after unblock", await admittedOf(both, 3, "a"), 2);
    same("the one that was exhausted", (await outcomeOf(client, "a"))[0], "blocked");
    same("the other one", await all.allow("a"), true);
    await both.block("a", "1h");
    same("both blocked", [await client.allow("a"), await all.allow("a")], [false, false]);
  },
});

function ofStoresWithBlocks(cases: ContractTests): ContractTests {
  const guarded: Record<string, ContractTest> = {};
  for (const [name, test] of Object.entries(cases)) {
    guarded[name] = async (bench) => (bench.store.blocks === undefined ? undefined : test(bench));
  }
  return guarded;
}

/** The reason of a denial, `retryAfterMs`, the end of the block and its reason. */
async function outcomeOf(limiter: AnyLimiter, key: string): Promise<unknown[]> {
  const decision = await limiter.consume(key);
  const { block, retryAfterMs } = decision;
  return [decision.allowed || decision.reason, retryAfterMs, block?.endsInMs, block?.reason];
}
