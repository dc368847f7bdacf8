import { perDay, perHour, slidingWindow } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan, type OnChange } from "../../../src/core/plan.ts";
import type { Limit } from "../../../src/index.ts";
import { decodeReply } from "../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../src/stores/redis/script/encode-call.ts";
import { type EncodedPlan, encodePlan } from "../../../src/stores/redis/script/encode-plan.ts";
import { epochOf } from "../../../src/stores/redis/script/epoch.ts";
import { NEEDS_LAYOUTS, neededLayouts } from "../../../src/stores/redis/script/layout.ts";
import type { ScriptTransaction, ScriptVerb } from "../../../src/stores/redis/script/transaction.ts";

const NOW_US = 1_784_000_000_000_000;
const EPOCH = epochOf(NOW_US);

const planOf = (onChange: OnChange, ...limits: readonly Limit[]) =>
  encodePlan(createPlan("api", "api", limits, onChange), EPOCH);

function call(verb: ScriptVerb, plan: EncodedPlan, name = "ann"): ScriptTransaction {
  const costs = plan.plan.limits.map(() => 1);
  return {
    verb,
    times: 1,
    detail: "each",
    keys: [{ name, plan, costs }],
  };
}

const encode = (transactions: readonly ScriptTransaction[], lost: readonly string[] = []) =>
  encodeCall({ transactions, lost });

/** A plan that met the layout of other numbers. */
function changed(onChange: OnChange): { readonly plan: EncodedPlan; readonly id: string } {
  const plan = planOf(onChange, perDay(10, { name: "calls" }));
  const other = perDay(15, { name: "calls" });
  const { head: id, texts } = planOf("carry-over", other);
  plan.others.meet([{ id, limits: [other], texts }]);
  return { plan, id };
}

describe("the arguments of calls whose values have a layout", () => {
  const named = planOf("carry-over", perDay(10, { name: "calls" }));
  const separate = planOf("separate", perDay(10), perHour(5));

  it("every form has the head once", () => {
    const [two] = [planOf("carry-over", perDay(10, { name: "calls" }), perHour(5))];
    const forms = [
      [call("take", named)],
      [call("take", named), call("take", named, "bob")],
      [call("take", two), call("take", two, "bob")],
      [call("take", separate)],
      [call("charge", two)],
    ];
    for (const transactions of forms) {
      const { head } = transactions[0]!.keys[0]!.plan;
      expect(encode(transactions).args.filter((text) => text === head)).toHaveLength(1);
    }
  });

  it("the cells of a value come behind its layout", () => {
    expect(planOf("separate", slidingWindow({ limit: 9, window: "1h" })).texts[5]).toBe("2");
  });

  it("calls that expect other layouts describe them, in the general form", () => {
    const { plan, id } = changed("carry-over");
    const { args } = encode([call("take", plan)]);
    expect([args[1], args.filter((text) => text === id)]).toEqual(["1", [id, id]]);
    // After a thousand calls they are forgotten.
    for (let i = 1; i < 1_000; i += 1) encode([call("take", plan)]);
    expect(encode([call("take", plan)]).args[1]).toBe("buckets");
  });

  it("after sections, which describe themselves, fewer calls take the general form", () => {
    const plan = planOf("carry-over", perDay(10, { name: "calls" }));
    plan.others.meet([]);
    const forms = Array.from({ length: 40 }, () => encode([call("take", plan)]).args[1]);
    expect(forms.indexOf("buckets")).toBe(32);
    const { plan: described } = changed("carry-over");
    described.others.meet([]);
    for (let i = 0; i < 999; i += 1) encode([call("take", described)]);
    expect(encode([call("take", described)]).args[1]).toBe("1");
  });

  it("a call describes at most 64 other layouts, the last that were met", () => {
    const { plan, id } = changed("carry-over");
    const ids = Array.from({ length: 64 }, (_, i) => `layout${String(i).padStart(2, "0")}`);
    plan.others.meet(ids.map((other) => ({ id: other, limits: [], texts: ["0", "0", other, "0"] })));
    const { args } = encode([call("take", plan)]);
    expect(args).not.toContain(id);
    expect(args.filter((text) => ids.includes(text))).toEqual(ids);
  });

  it("lost layouts have no limits", () => {
    const { plan } = changed("carry-over");
    const { args } = encode([call("take", plan)], ["lostone1"]);
    const at = args.indexOf("lostone1");
    expect(args.slice(at - 2, at + 2)).toEqual(["0", "0", "lostone1", "0"]);
  });
});

describe("the reply to calls whose values have a layout", () => {
  it("a reply may name layouts that the script was not told of", () => {
    const codes = Array.from("abcdefgh12345678", (character) => character.charCodeAt(0));
    expect(neededLayouts([NEEDS_LAYOUTS, ...codes])).toEqual(["abcdefgh", "12345678"]);
    expect(neededLayouts([1, 1, 0, 0, 0, 0])).toBeUndefined();
  });

  it("plans that keep first numbers name the limits that decided", () => {
    const { plan } = changed("keep-first");
    const { described } = encode([call("take", plan)]);
    const decided = (number: number) => decodeReply([1, 1, 1, 0, 1, 2, number], [call("take", plan)], described);
    expect(decided(0)?.[0]?.reports[0]?.keptLimits).toEqual([]);
    expect(decided(2)?.[0]?.reports[0]?.keptLimits).toEqual([perDay(15, { name: "calls" })]);
  });

  it("keys that moved come last, with the limits as they were", () => {
    const { plan } = changed("carry-over");
    const calls = [call("take", plan), call("refund", plan, "bob")];
    const { described } = encode(calls);
    const reply = [1, 1, 1, 0, 1, 2, 1];
    expect(decodeReply(reply, calls, described)?.map(({ moved }) => moved)).toEqual([undefined, undefined]);
    const outcomes = decodeReply([...reply, 2, 1, 1, 2], calls, described);
    const from = [perDay(15, { name: "calls" })];
    expect(outcomes?.map(({ moved }) => moved)).toEqual([undefined, [{ key: 0, from }]]);
  });
});
