import fc from "fast-check";
import { type Limit, type OnChange, perDay, perMinute, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan, identityOf } from "../../../src/core/plan.ts";
import { scriptAlgorithmOf } from "../../../src/stores/redis/script/algorithms.ts";
import { decodeReply } from "../../../src/stores/redis/script/decode-reply.ts";
import { encodePlan } from "../../../src/stores/redis/script/encode-plan.ts";
import { describeLimit } from "../../../src/stores/redis/script/row.ts";
import type { ScriptTransaction } from "../../../src/stores/redis/script/transaction.ts";
import { limitSpec } from "../../properties/limit-arbitrary.ts";
import { libraryLimit } from "../../properties/limit-spec.ts";

const NOW_US = 1_790_000_000_000_000;
const planOf = (onChange: OnChange, ...limits: readonly Limit[]) => createPlan("api", "api", limits, onChange);
const nameOf = (limit: Limit, onChange: OnChange = "carry-over", ...others: readonly Limit[]) =>
  describeLimit(limit, planOf(onChange, limit, ...others)).slice(0, 5);

describe("the description of a limit in a row", () => {
  const minute = perMinute(5, { name: "calls" });

  it("the name is that of limits of one unit, algorithm and window, whatever their numbers are", () => {
    expect(nameOf(perMinute(9, { name: "calls" }))).toBe(nameOf(minute));
    const others = [
      perMinute(5, { name: "other" }),
      perMinute(5, { name: "calls", unit: "tokens" }),
      slidingWindow({ name: "calls", limit: 5, window: "1m" }),
      slidingWindow({ name: "calls", limit: 5, window: "2m" }),
    ];
    expect(new Set([minute, ...others].map((limit) => nameOf(limit))).size).toBe(5);
  });

  it("a limit that counts separately has a name in each list, and none of them is that of one that carries over", () => {
    const hour = slidingWindow({ name: "hour", limit: 9, window: "1h" });
    const names = [nameOf(minute), nameOf(minute, "separate"), nameOf(minute, "separate", hour)];
    expect(new Set(names).size).toBe(3);
    expect(nameOf(minute, "carry-over", hour)).toBe(nameOf(minute));
  });

  it("all clients can send it: it has printable characters of ASCII", () => {
    fc.assert(
      fc.property(limitSpec, (spec) => {
        const limit = libraryLimit(spec, "limit");
        expect(describeLimit(limit, planOf("carry-over", limit))).toMatch(/^[!-~]+$/);
      }),
    );
  });

  it("numbers that are written alike are equal", () => {
    const numbers = fc.oneof(
      fc.maxSafeNat(),
      fc.nat(100),
      fc.nat(1_000).map((thousands) => thousands * 1_000),
    );
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const [a, b] = [one, other].map((capacity) => {
          const limit = { ...minute, capacity, refill: 1 } as Limit;
          return describeLimit(limit, planOf("carry-over", limit));
        });
        expect(a === b).toBe(one === other);
      }),
    );
  });

  it("the numbers give the limit back, whatever it is", () => {
    fc.assert(
      fc.property(limitSpec, (spec) => {
        const limit = libraryLimit(spec, "limit");
        const algorithm = scriptAlgorithmOf(limit);
        const { kind, numbers } = algorithm.describe(limit);
        const left = [...numbers];
        const made = algorithm.remake(limit, kind, () => left.shift()!);
        expect([identityOf(made), made.mode, made.unit]).toEqual([identityOf(limit), limit.mode, limit.unit]);
        expect(left).toEqual([]);
      }),
    );
  });
});

describe("the reply to calls of keys that are counted under other numbers", () => {
  const call = (verb: "take" | "refund", onChange: OnChange, ...keys: readonly string[]): ScriptTransaction => {
    const plan = encodePlan(planOf(onChange, perDay(10, { name: "calls" })));
    return { verb, times: 1, detail: "each", keys: keys.map((name) => ({ name, plan, costs: [1] })) };
  };
  const DAY_US = 86_400_000_000;
  const other = [98, 15, DAY_US];
  const from = perDay(15, { name: "calls" });

  it("notes name the limits that decided, where first numbers are kept", () => {
    const reply = [NOW_US, 1, 1, 1, 0, 1, 2];
    const shown = (notes: readonly number[]) => {
      const [outcome] = decodeReply([...reply, ...notes], [call("take", "keep-first", "ann")]) ?? [];
      return [outcome?.reports[0]?.keptLimits, outcome?.reports[0]?.isView, outcome?.moved];
    };
    expect(shown([])).toEqual([[], [], undefined]);
    expect(shown([1, 1, 1, 0, ...other])).toEqual([[from], [true], undefined]);
  });

  it("notes name the keys that moved, with the limits as they were", () => {
    const calls = [call("take", "carry-over", "ann"), call("refund", "carry-over", "ann", "bob")];
    const reply = [NOW_US, 1, 1, 1, 0, 1, 2, 1];
    expect(decodeReply(reply, calls)?.map(({ moved }) => moved)).toEqual([undefined, undefined]);
    const outcomes = decodeReply([...reply, 2, 2, 1, 1, ...other], calls);
    expect(outcomes?.map(({ moved }) => moved)).toEqual([undefined, [{ key: 1, from: [from] }]]);
  });

  it("a refill that is not the capacity is told", () => {
    const own = tokenBucket({ name: "calls", capacity: 10, refill: 1, per: "1d" });
    const plan = encodePlan(planOf("keep-first", own));
    const take: ScriptTransaction = { verb: "take", times: 1, detail: "each", keys: [{ name: "a", plan, costs: [1] }] };
    const [outcome] = decodeReply([NOW_US, 1, 1, 1, 0, 1, 2, 1, 1, 1, 0, 114, 20, DAY_US, 3], [take]) ?? [];
    expect(outcome?.reports[0]?.keptLimits).toMatchObject([{ capacity: 20, refill: 3, perMs: 86_400_000 }]);
  });
});
