import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perMinute, perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { type ContractTests, same } from "./contract-case.ts";
import { combined, scenario, scenarioOf, usedOf } from "./scenario.ts";

const ONE_OF_EACH = [
  perSecond(5),
  slidingWindow({ limit: 6, window: "10s" }),
  fixedWindow({ limit: 7, window: "1m", anchor: "first-use" }),
];

export const verbs: ContractTests = {
  "peek, explain and refund create no key": scenario(ONE_OF_EACH, [0, "peek 1, used 0 0 0, refund 1, keys 0"]),
  "a charge goes into debt, and a call waits until the debt is over": scenario(
    [perSecond(5)],
    [0, "charge 9 allowed=no remaining=0 used=9, used 9"],
    [999.999, "admits 0/1"],
    [0.001, "admits 1/2"],
  ),
  "a refund and a charge accept the decision that they correct": async (bench) => {
    const limiter = bench.limiter(ONE_OF_EACH);
    const decision = await limiter.consume("a", 4);
    await limiter.refund("a", 3, decision);
    same("used after a refund", await usedOf(limiter), [1, 1, 1]);
    await limiter.charge("a", 2, decision);
    same("used after a charge", await usedOf(limiter), [3, 3, 3]);
    const handle = limiter.handle("a");
    await handle.refund(1, await handle.charge(5, decision));
    same("used after a handle's charge and refund", await usedOf(limiter), [7, 7, 7]);
  },
  "a shadow limit never denies, and takes only what conforms": scenario(
    [perSecond(5), perMinute(2, { mode: "shadow" })],
    [0, "admits 5/7, used 5 2"],
    [1_000, "consume 1 allowed=yes limit=5-per-1s shadowDenied=2-per-1m"],
  ),
  "a shadow limit is unchanged when another limit denies": scenario(
    [perSecond(2), perMinute(10, { mode: "shadow" })],
    [0, "admits 2/6, used 2 2"],
  ),
  "a limit that is chosen in two lists is one bucket": async (bench) => {
    let limits: ChosenLimits = [];
    const choose = (chosen: ChosenLimits) => (): void => {
      limits = chosen;
    };
    await scenario(
      () => limits,
      [0, choose([perSecond(3)]), "admits 2/2"],
      [0, choose([perMinute(50), perSecond(3)]), "admits 1/3"],
      [0, choose([perMinute(50)]), "used 1"],
      [
        0,
        choose("deny"),
        "consume 1 reason=denied retryAfterMs=Infinity, peek 0 reason=denied, charge 2 reason=denied",
      ],
      [0, choose("unlimited"), "consume 1 allowed=yes remaining=Infinity limit=undefined"],
      [0, choose([perSecond(3)]), "used 3"],
    )(bench);
  },
  "a combination takes from all limiters or from none": scenarioOf(
    combined([perSecond(3)], [slidingWindow({ limit: 2, window: "1s" })]),
    [0, "admits 2/5, by 1, used 2, by 0, consume 1 limiter=two, refund 1, admits 1/2"],
  ),
  "a combination that denies leaves every count unchanged": async (bench) => {
    const [both, client] = combined(ONE_OF_EACH, [perMinute(3)])(bench);
    for (let i = 0; i < 3; i += 1) same("admitted", await both.allow("a"), true);
    bench.clock.advance(300);
    const before = await client.explain("a");
    for (let i = 0; i < 5; i += 1) same("admitted", await both.allow("a"), false);
    same("the limiter that did not deny", await client.explain("a"), before);
    await client.reset("a");
    same("with a new key of it", [await both.allow("a"), await usedOf(client)], [false, [0, 0, 0]]);
  },
};
