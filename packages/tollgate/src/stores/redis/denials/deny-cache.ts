import type { Limit } from "../../../core/limits/limit.ts";
import { blocksKeys, type Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { Verb } from "../../../core/verbs.ts";
import type { KeyCall } from "../batch/key-call.ts";
import type { DenialMemory } from "../batch/work.ts";
import { SCRIPT_VERBS } from "../script/script-verbs.ts";
import { canExtrapolate, extrapolate } from "./extrapolation.ts";

/** A denial by the server. */
interface Denial {
  /** The name of the key on the server. */
  readonly rowName: string;
  /** Other plans of the same counts may enforce other limits, in another order, or have another clock. */
  readonly plan: Plan;
  readonly sinceUs: number;
  /** The same cost is denied until then, whatever other calls do. Only refunds could change it. */
  readonly untilUs: number;
  readonly costs: readonly number[];
  readonly report: Report;
  /** The limits that decided; `undefined` where their later figures do not follow from the report. */
  readonly limits: readonly Limit[] | undefined;
}

/** The most keys whose changes are tracked one by one. Beyond that all keys count as changed. */
const MOST_CHANGED = 1_024;

/** Other nodes may end a block, which has to be honoured within a second. */
const LONGEST_BLOCK_US = 1_000_000;

/**
 * Caches denials: until one ends, calls of the same key that cost as much or more are denied without a round trip. It
 * does not see refunds by other nodes. A denial by a block is cached for a second, and for calls of any cost.
 */
export class DenyCache implements DenialMemory {
  /** By the names of the counts, as all that follows. */
  readonly #denials = new Map<string, Denial>();
  /** Keys with refunds or charges in flight, and how many. Their denials are not cached. */
  readonly #suspended = new Map<string, number>();
  /** The number of changes after the latest change of a key. */
  readonly #changed = new Map<string, number>();
  #changes = 0;
  /** Denials that were requested before so many changes are not cached, whatever the key. */
  #leastChanges = 0;
  readonly #mostKeys: number;

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys;
  }

  get size(): number {
    return this.#denials.size;
  }

  /** How many refunds and charges ended so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Caches a denial. `nowUs` is not later than the decision; `changes` is the value when the call was made. */
  note(call: KeyCall, report: Report, nowUs: number, changes: number): void {
    const { countsName: name, name: rowName, costs } = call;
    const { plan } = call.space;
    if (this.#suspended.has(name) || changes < Math.max(this.#leastChanges, this.#changed.get(name) ?? 0)) return;
    const { block } = report;
    // Each denied call has to reach a limit that extends its blocks. A call that costs more may begin a block.
    // Another process may free a place at any moment.
    if (block === undefined && plan.takesPlaces) return;
    if (block === undefined ? blocksKeys(plan) : plan.limits.some(({ blockFor }) => blockFor?.extend === true)) return;
    const waitUs = block === undefined ? longestWaitUs(plan, report) : Math.min(block.forUs, LONGEST_BLOCK_US);
    // A cost that never conforms is rare, and its entry would never expire.
    if (!Number.isFinite(waitUs)) return;
    this.#denials.delete(name);
    const least = block === undefined ? costs : costs.map(() => 0);
    const limits = extrapolated(plan, report);
    this.#denials.set(name, { rowName, plan, sinceUs: nowUs, untilUs: nowUs + waitUs, costs: least, report, limits });
    if (this.#denials.size <= this.#mostKeys) return;
    const [oldest] = this.#denials.keys();
    if (oldest !== undefined) this.#denials.delete(oldest);
  }

  denies(call: KeyCall, nowUs: number): boolean {
    return this.#denials.size > 0 && this.#find(call, nowUs) !== undefined;
  }

  /** The cached denial with its figures for now; `undefined` if the server has to decide. */
  reportOn(verb: Verb, calls: readonly KeyCall[], nowUs: number): Report | undefined {
    const { decides, changes } = SCRIPT_VERBS[verb];
    if (!(decides && changes) || this.#denials.size === 0) return undefined;
    if (calls.length === 1) return this.#reportOf(calls[0]!, nowUs);
    for (const call of calls) this.forget(call);
    return undefined;
  }

  #reportOf(call: KeyCall, nowUs: number): Report | undefined {
    const denial = this.#find(call, nowUs);
    if (denial?.limits === undefined) return undefined;
    const report = new Report();
    report.admitted = false;
    for (const [i, limit] of denial.report.keptLimits.entries()) report.keptLimits[i] = limit;
    const passedUs = nowUs - denial.sinceUs;
    const { block } = denial.report;
    if (block !== undefined) report.block = { ...block, forUs: block.forUs - passedUs, denied: true };
    for (const [i, limit] of denial.limits.entries()) {
      extrapolate(limit, call.costs[i]!, denial.report, i, passedUs, report);
    }
    return report;
  }

  /** A smaller cost was admitted since: the denial holds, its figures are stale. */
  forget({ countsName }: KeyCall): void {
    if (this.#denials.size > 0) this.#denials.delete(countsName);
  }

  /** An operator has changed the block of a key. */
  forgetBlock(rowName: string): void {
    for (const [name, denial] of this.#denials) if (denial.rowName === rowName) this.#denials.delete(name);
  }

  /** Drops the denials of keys, and caches none until the work ends, because it may change them. */
  async suspend<T>(calls: readonly KeyCall[], work: Promise<T>): Promise<T> {
    for (const { countsName: name } of calls) {
      this.#denials.delete(name);
      this.#suspended.set(name, (this.#suspended.get(name) ?? 0) + 1);
    }
    try {
      return await work;
    } finally {
      for (const { countsName } of calls) this.#release(countsName);
    }
  }

  clear(): void {
    this.#denials.clear();
    this.#leastChanges = ++this.#changes;
    this.#changed.clear();
  }

  #release(name: string): void {
    this.#changes += 1;
    if (this.#changed.size >= MOST_CHANGED) {
      this.#changed.clear();
      this.#leastChanges = this.#changes;
    }
    this.#changed.set(name, this.#changes);
    const times = this.#suspended.get(name) ?? 0;
    if (times > 1) this.#suspended.set(name, times - 1);
    else this.#suspended.delete(name);
  }

  /** The denial that applies to a call. A denial that does not is dropped, because the call may change its figures. */
  #find({ countsName: name, space, costs }: KeyCall, nowUs: number): Denial | undefined {
    const denial = this.#denials.get(name);
    if (denial === undefined) return undefined;
    // After a clock went back, the denial would last longer here than on the server.
    const isNow = nowUs >= denial.sinceUs && nowUs < denial.untilUs;
    if (isNow && denial.plan === space.plan && denial.costs.every((cost, i) => costs[i]! >= cost)) return denial;
    this.#denials.delete(name);
    return undefined;
  }
}

function extrapolated(plan: Plan, report: Report): readonly Limit[] | undefined {
  const { keptLimits } = report;
  const limits = keptLimits.length === 0 ? plan.limits : plan.limits.map((limit, i) => keptLimits[i] ?? limit);
  return limits.every((limit, i) => canExtrapolate(limit, report, i)) ? limits : undefined;
}

function longestWaitUs({ enforces }: Plan, report: Report): number {
  let longest = 0;
  for (let i = 0; i < enforces.length; i += 1) if (enforces[i]!) longest = Math.max(longest, report.waitUs[i]!);
  return longest;
}
