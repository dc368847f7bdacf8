import { expect, it } from "vitest";
import { fixedWindow, type Limit, tokenBucket } from "../../../src/index.ts";
import { Report } from "../../../src/store/index.ts";
import type { KeyCall } from "../../../src/stores/redis/batch/key-call.ts";
import type { SlotPart } from "../../../src/stores/redis/cluster-slots.ts";
import { type Ask, applyToSlots } from "../../../src/stores/redis/several-slots.ts";
import { manualClock } from "../../../src/testing/index.ts";
import { call, encoded, NOW_US } from "./script/kit/script-call.ts";
import { useScriptServer } from "./script/kit/script-server.ts";

const started = useScriptServer();
const clock = manualClock(NOW_US / 1_000);

/** A slot with one key, from which a call takes one unit. */
function slotOf(name: string, limit: Limit): SlotPart {
  const plan = encoded(limit);
  const key = { name, key: name, plan, costs: [1], space: { plan: plan.plan, clock } };
  return { calls: [key as unknown as KeyCall], at: [0], places: [0] };
}

/** Calls the server at the time of the clock. */
const ask: Ask = async (verb, calls, options = {}) => {
  const nowUs = clock.now() * 1_000;
  const transaction = { verb, times: 1, detail: "each", keys: calls, ...options, nowUs } as const;
  const [outcome] = (await started.server.run({ time: "transactions", transactions: [transaction] })) ?? [];
  return { report: outcome?.reports[0] ?? new Report(), decidedUs: outcome?.decidedUs };
};

it("a call that loses a race after its bucket has refilled gives back nothing that others took", async () => {
  const bucket = tokenBucket({ capacity: 1, refill: 1, per: "50s" });
  const user = slotOf("user", bucket);
  const route = { ...slotOf("route", fixedWindow({ limit: 1, window: "1d" })), at: [1], places: [1] };
  const takesUser = async () => {
    const answer = await ask("take", user.calls);
    return answer.report.admitted;
  };
  const others: boolean[] = [];
  const lost = await applyToSlots("take", [user, route], async (verb, calls, options) => {
    // The call has taken the user's unit, and not reached the route yet.
    if (verb === "take" && calls === route.calls) {
      await ask("take", route.calls);
      clock.advance(50_000);
      others.push(await takesUser());
    }
    if (verb === "refund") clock.advance(10_000);
    return ask(verb, calls, options);
  });
  clock.advance(2_000);
  others.push(await takesUser());
  clock.advance(38_000);
  others.push(await takesUser());
  expect(lost.admitted).toBe(false);
  expect(others).toEqual([true, false, true]);
});

it("a call that loses a race at once gives back all that it took", async () => {
  const user = slotOf("user at once", tokenBucket({ capacity: 2, refill: 1, per: "50s" }));
  const route = { ...slotOf("route at once", fixedWindow({ limit: 1, window: "1d" })), at: [1], places: [1] };
  await applyToSlots("take", [user, route], async (verb, calls, options) => {
    if (verb === "take" && calls === route.calls) await ask("take", route.calls);
    return ask(verb, calls, options);
  });
  const [outcome] =
    (await started.server.run({
      time: "transactions",
      transactions: [call("explain", user.calls[0]!.plan, "user at once", 0, { nowUs: clock.now() * 1_000 })],
    })) ?? [];
  expect(outcome?.reports[0]?.used).toEqual([0]);
});
