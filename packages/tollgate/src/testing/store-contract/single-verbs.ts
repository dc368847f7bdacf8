import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { admittedOf, type ContractTests, combineAny, same, sizeOf } from "./contract-case.ts";

const ONE_OF_EACH = [
  perSecond(5),
  slidingWindow({ limit: 6, window: "10s" }),
  fixedWindow({ limit: 7, window: "1m", anchor: "first-use" }),
];

/** Reason, `retryAfterMs` and `remaining`. */
const DENIED = ["denied", Number.POSITIVE_INFINITY, "unknown"];

export const verbs: ContractTests = {
  "peek gives the decision of consume and changes nothing": async (bench) => {
    const limiter = bench.limiter(ONE_OF_EACH);
    for (const cost of [1, 3, 2, 9]) {
      const before = await limiter.explain("a");
      const peeked = await limiter.peek("a", cost);
      same("state after peek", await limiter.explain("a"), before);
      same(`decision for ${cost}`, await limiter.consume("a", cost), peeked);
    }
  },
  "peek, explain and refund create no key": async (bench) => {
    const limiter = bench.limiter(ONE_OF_EACH);
    await limiter.peek("a");
    await limiter.explain("a");
    await limiter.refund("a", 1);
    same("keys", await sizeOf(limiter), 0);
  },
  "explain reports the state of every limit": async (bench) => {
    const limiter = bench.limiter([perSecond(5), perMinute(8)]);
    await limiter.allow("a", 4);
    const [first, second] = await limiter.explain("a", 3);
    same("first", [first?.used, first?.remaining, first?.allowed, first?.retryAfterMs], [4, 1, false, 400]);
    same("second", [second?.used, second?.remaining, second?.allowed, second?.retryAfterMs], [4, 4, true, 0]);
    same("first reset", first?.resetMs, 800);
    same("key and unit", [first?.key, first?.unit, first?.capacity, first?.mode], ["a", "requests", 5, "enforce"]);
  },
  "a charge goes into debt, and a call waits until the debt is over": async (bench) => {
    const limiter = bench.limiter([perSecond(5)]);
    const decision = await limiter.charge("a", 9);
    same("it did not conform", decision.allowed, false);
    same("remaining", decision.remaining, 0);
    same("used", (await limiter.explain("a"))[0]?.used, 9);
    bench.clock.advance(999.999);
    same("a microsecond early", await limiter.allow("a"), false);
    bench.clock.advance(0.001);
    same("admitted on time", await admittedOf(limiter, 2, "a"), 1);
  },
  "a refund returns units, never beyond full": async (bench) => {
    const limiter = bench.limiter(ONE_OF_EACH);
    await limiter.allow("a", 4);
    await limiter.refund("a", 3);
    same(
      "used",
      (await limiter.explain("a")).map(({ used }) => used),
      [1, 1, 1],
    );
    await limiter.refund("a", 100);
    same(
      "used after too much",
      (await limiter.explain("a")).map(({ used }) => used),
      [0, 0, 0],
    );
    same("admitted", await admittedOf(limiter, 8, "a"), 5);
  },
  "a refund and a charge accept the decision that they correct": async (bench) => {
    const limiter = bench.limiter(ONE_OF_EACH);
    const used = async () => (await limiter.explain("a")).map((limit) => limit.used);
    const decision = await limiter.consume("a", 4);
    await limiter.refund("a", 3, decision);
    same("used after a refund", await used(), [1, 1, 1]);
    await limiter.charge("a", 2, decision);
    same("used after a charge", await used(), [3, 3, 3]);
    const handle = limiter.handle("a");
    await handle.refund(1, await handle.charge(5, decision));
    same("used after a handle's charge and refund", await used(), [7, 7, 7]);
  },
  "a shadow limit never denies, and takes only what conforms": async (bench) => {
    const shadow = perMinute(2, { mode: "shadow" });
    const limiter = bench.limiter([perSecond(5), shadow]);
    same("admitted of 7", await admittedOf(limiter, 7, "a"), 5);
    const [, watched] = await limiter.explain("a");
    same("used of the shadow limit", watched?.used, 2);
    bench.clock.advance(1_000);
    const decision = await limiter.consume("a");
    same("allowed", decision.allowed, true);
    same("binding limit", decision.limit?.name, "5-per-1s");
    same(
      "shadow limits that would have denied",
      decision.shadowDenied?.map(({ name }) => name),
      [shadow.name],
    );
  },
  "a shadow limit is unchanged when another limit denies": async (bench) => {
    const limiter = bench.limiter([perSecond(2), perMinute(10, { mode: "shadow" })]);
    same("admitted of 6", await admittedOf(limiter, 6, "a"), 2);
    same("used of the shadow limit", (await limiter.explain("a"))[1]?.used, 2);
  },
  "a limit that is chosen in two lists is one bucket": async (bench) => {
    let limits: ChosenLimits = [perSecond(3)];
    const limiter = bench.limiter(() => limits);
    await admittedOf(limiter, 2, "a");
    limits = [perMinute(50), perSecond(3)];
    same("admitted under the other list", await admittedOf(limiter, 3, "a"), 1);
    limits = [perMinute(50)];
    same("used of the limit that was added", (await limiter.explain("a"))[0]?.used, 1);
    limits = "unlimited";
    const free = await limiter.consume("a");
    same("no limits", [free.allowed, free.remaining, free.limit], [true, Number.POSITIVE_INFINITY, undefined]);
  },
  "a key that a limits function denies counts nothing, by every verb and in a combination": async (bench) => {
    let limits: ChosenLimits = [perSecond(3)];
    const limiter = bench.limiter(() => limits, "chosen");
    const all = bench.limiter([perSecond(5)], "all");
    await limiter.allow("a");
    limits = "deny";
    for (const decision of [await limiter.consume("a"), await limiter.peek("a", 0), await limiter.charge("a", 2)]) {
      const { allowed, retryAfterMs, remaining } = decision;
      same("the decision", [allowed || decision.reason, retryAfterMs, remaining ?? "unknown"], DENIED);
    }
    same("allow", [await limiter.allow("a"), await combineAny(limiter, all).allow("a")], [false, false]);
    same("used of the other limiter", (await all.explain("a"))[0]?.used, 0);
    limits = [perSecond(3)];
    same("used", (await limiter.explain("a"))[0]?.used, 1);
  },
  "a combination takes from all limiters or from none": async (bench) => {
    const client = bench.limiter([perSecond(3)], "client");
    const all = bench.limiter([slidingWindow({ limit: 2, window: "1s" })], "all");
    const both = combineAny(client, all);
    same("admitted of 5", await admittedOf(both, 5, "a"), 2);
    same("used of the one that did not deny", (await client.explain("a"))[0]?.used, 2);
    const decision = await both.consume("a");
    same("binding limiter", decision.limiter, "all");
    await both.refund("a", 1);
    same("after a refund", await admittedOf(both, 2, "a"), 1);
  },
  "a combination that denies leaves every count unchanged": async (bench) => {
    const client = bench.limiter(ONE_OF_EACH, "client");
    const all = bench.limiter([perMinute(3)], "all");
    const both = combineAny(client, all);
    same("admitted of 3", await admittedOf(both, 3, "a"), 3);
    bench.clock.advance(300);
    const before = await client.explain("a");
    same("admitted of 5", await admittedOf(both, 5, "a"), 0);
    same("the limiter that did not deny", await client.explain("a"), before);
    same("admitted of a new key", await admittedOf(combineAny(bench.limiter(ONE_OF_EACH, "new"), all), 5, "a"), 0);
    same("used of the new key", (await bench.limiter(ONE_OF_EACH, "new").explain("a"))[0]?.used, 0);
  },
};
