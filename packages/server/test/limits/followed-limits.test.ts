import { createLimits, type Limits, type LimitsFile, parseLimits } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { FollowedLimits } from "../../src/limits/followed-limits.ts";
import type { LimitsState } from "../../src/limits/limits-state.ts";
import { type RuleOverride, withOverrides } from "../../src/limits/rule-overrides.ts";

const OFF: RuleOverride = { domain: "api", rule: "client", mode: "off", untilMs: 60_000, by: "ann" };

function fileOf(rate: number): LimitsFile {
  const limits: Record<string, object> = { client: { by: "ip", rate: `${rate}/1m` } };
  for (let i = 0; i < 600; i += 1) limits[`r${i}`] = { match: { path: `/${i}` }, by: "ip", rate: "9/1m" };
  return parseLimits(JSON.stringify({ version: 1, domains: { api: { limits } } }), { file: "limits.json" });
}

/** A primary process of these tests. */
class Lead {
  #file: LimitsFile = fileOf(1);
  #number = 1;

  put(rate: number): LimitsState {
    this.#file = fileOf(rate);
    return this.next();
  }

  next(overrides: readonly RuleOverride[] = []): LimitsState {
    this.#number += 1;
    return this.state(overrides);
  }

  state(overrides: readonly RuleOverride[] = []): LimitsState {
    return {
      number: this.#number,
      effective: JSON.stringify(withOverrides(this.#file, overrides)),
      version: "v",
      source: "files",
      sinceMs: 0,
      overrides: overrides.length,
      files: "loaded",
      checkDomain: "api",
      salt: undefined,
    };
  }
}

function open(lead: Lead) {
  const followed = new FollowedLimits(lead.state());
  const begin = (): Limits => {
    const limits = createLimits(followed.effective);
    followed.begin(limits, () => {});
    return limits;
  };
  return { followed, begin };
}

const remaining = (limits: Limits): number | undefined => limits.peek("api", { ip: "192.0.2.1" }, 0).remaining;

describe("the limits of a worker", () => {
  it("are those of the primary process, and change with them", async () => {
    const lead = new Lead();
    const { followed, begin } = open(lead);
    const limits = begin();
    expect(remaining(limits)).toBe(1);
    expect(await followed.take(lead.put(5))).toBe(2);
    expect(remaining(limits)).toBe(5);
    expect(await followed.take(lead.next([OFF]))).toBe(3);
    expect(remaining(limits)).toBe(Number.POSITIVE_INFINITY);
    expect(await followed.take(lead.next([]))).toBe(4);
    expect(remaining(limits)).toBe(5);
  });

  it("wait for the start of the worker, and are the latest ones then", async () => {
    const lead = new Lead();
    const { followed, begin } = open(lead);
    const taken = [lead.put(5), lead.next([OFF]), lead.put(7), lead.next([])].map((state) => followed.take(state));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    const limits = begin();
    expect(remaining(limits)).toBe(1);
    expect((await Promise.all(taken)).at(-1)).toBe(5);
    expect(remaining(limits)).toBe(7);
  });

  it("stay if a later state comes first", async () => {
    const lead = new Lead();
    const { followed, begin } = open(lead);
    const limits = begin();
    const [old, latest] = [lead.put(5), lead.put(6)];
    expect(await followed.take(latest)).toBe(3);
    expect(await followed.take(old)).toBe(3);
    const [off, on] = [lead.next([OFF]), lead.next([])];
    expect(await followed.take(on)).toBe(5);
    expect(await followed.take(off)).toBe(5);
    expect(remaining(limits)).toBe(6);
  });
});
