import { createLimits, type Limits, type LimitsFile, parseLimits } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { FollowedLimits } from "../../src/limits/followed-limits.ts";
import { piecesOf } from "../../src/limits/limits-pieces.ts";
import type { LimitsLead, LimitsState } from "../../src/limits/limits-state.ts";
import { versionOf } from "../../src/limits/limits-version.ts";
import type { RuleOverride } from "../../src/limits/rule-overrides.ts";

const OFF: RuleOverride = { domain: "api", rule: "client", mode: "off", untilMs: 60_000, by: "ann" };

function fileOf(rate: number): LimitsFile {
  const limits: Record<string, object> = { client: { by: "ip", rate: `${rate}/1m` } };
  for (let i = 0; i < 600; i += 1) limits[`r${i}`] = { match: { path: `/${i}` }, by: "ip", rate: "9/1m" };
  return parseLimits(JSON.stringify({ version: 1, domains: { api: { limits } } }), { file: "limits.json" });
}

/** A primary process of these tests. */
class Lead implements LimitsLead {
  #file: LimitsFile = fileOf(1);
  #number = 1;
  overrides: readonly RuleOverride[] = [];
  /** Which pieces were asked for. */
  readonly asked: number[] = [];
  /** What happens before a piece is answered. */
  before: (index: number) => void = () => {};

  put(rate: number): LimitsState {
    this.#file = fileOf(rate);
    return this.next();
  }

  next(overrides: readonly RuleOverride[] = this.overrides): LimitsState {
    this.overrides = overrides;
    this.#number += 1;
    return this.now;
  }

  get now(): LimitsState {
    return {
      number: this.#number,
      version: versionOf(this.#file),
      source: "files",
      sinceMs: 0,
      overrides: this.overrides,
      files: "loaded",
      checkDomain: "api",
      salt: undefined,
    };
  }

  async state(): Promise<LimitsState> {
    return this.now;
  }

  async piece(version: string, index: number) {
    this.before(index);
    this.asked.push(index);
    // Messages between processes are copies.
    return version === versionOf(this.#file) ? structuredClone([...piecesOf(this.#file)][index]) : undefined;
  }
}

async function open(lead: Lead) {
  const followed = await FollowedLimits.open(lead);
  if (followed === undefined) throw new Error("expected limits");
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
    const { followed, begin } = await open(lead);
    const limits = begin();
    expect(remaining(limits)).toBe(1);
    expect(await followed.take(lead.put(5))).toBe(2);
    expect(remaining(limits)).toBe(5);
    lead.asked.length = 0;
    expect(await followed.take(lead.next([OFF]))).toBe(3);
    expect(remaining(limits)).toBe(Number.POSITIVE_INFINITY);
    expect(await followed.take(lead.next([]))).toBe(4);
    expect(remaining(limits)).toBe(5);
    // Overrides come without the file.
    expect(lead.asked).toEqual([]);
  });

  it("wait for the start of the worker, and are the latest ones then", async () => {
    const lead = new Lead();
    const { followed, begin } = await open(lead);
    const taken = [lead.put(5), lead.next([OFF]), lead.put(7), lead.next([])].map((state) => followed.take(state));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    const limits = begin();
    expect(remaining(limits)).toBe(1);
    expect((await Promise.all(taken)).at(-1)).toBe(5);
    expect(remaining(limits)).toBe(7);
  });

  it("are begun again if others come into force while they are read", async () => {
    const lead = new Lead();
    lead.before = (index) => {
      if (index !== 1) return;
      lead.before = () => {};
      lead.put(8);
    };
    const { followed, begin } = await open(lead);
    expect(followed.state.number).toBe(2);
    expect(remaining(begin())).toBe(8);
  });

  it("stay until the later ones come whose turn it is", async () => {
    const lead = new Lead();
    const { followed, begin } = await open(lead);
    const limits = begin();
    const [old, latest] = [lead.put(5), lead.put(6)];
    expect(await followed.take(old)).toBe(1);
    expect(remaining(limits)).toBe(1);
    expect(await followed.take(latest)).toBe(3);
    expect(await followed.take(old)).toBe(3);
    const [off, on] = [lead.next([OFF]), lead.next([])];
    expect(await followed.take(on)).toBe(5);
    expect(await followed.take(off)).toBe(5);
    expect(remaining(limits)).toBe(6);
  });
});
