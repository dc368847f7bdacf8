import type { Limit } from "../../../core/limits/limit.ts";
import { blocksKeys, type Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { Verb } from "../../../core/verbs.ts";
import type { KeyCall } from "../batch/key-call.ts";
import type { DenialMemory } from "../batch/work.ts";
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

/** Other nodes may end a block, which has to be honoured within a second. */
const LONGEST_BLOCK_US = 1_000_000;

/**
 * Caches denials: until one ends, calls of the same key that cost as much or more are denied without a round trip. It
 * does not see refunds by other nodes. A denial by a block is cached for a second, and for calls of any cost.
 */
export class DenyCache implements DenialMemory {
  /** By the names of the counts. */
  readonly #denials = new Map<string, Denial>();
  readonly #mostKeys: number;

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys;
  }

  get size(): number {
    return this.#denials.size;
  }

  /** Caches a denial. `nowUs` is not later than the decision. */
  note(call: KeyCall, report: Report, nowUs: number): void {
    const { countsName: name, name: rowName, costs } = call;
    const { plan } = call.space;
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

  /** The cached denial of a take, with figures for now if the caller wants any; `undefined` if the server decides. */
  reportOn(call: KeyCall, nowUs: number, wantsFigures: boolean): Report | undefined {
    const denial = this.#denials.size === 0 ? undefined : this.#find(call, nowUs);
    if (denial === undefined || !wantsFigures) return denial?.report;
    return denial.limits && figuresOf(denial, denial.limits, call.costs, nowUs - denial.sinceUs);
  }

  /** The same for a call of any verb. A take of several keys may change the figures of their denials. */
  reportOnCall(verb: Verb, keys: readonly KeyCall[], nowUs: number): Report | undefined {
    if (verb !== "take") return undefined;
    if (keys.length === 1) return this.reportOn(keys[0]!, nowUs, true);
    for (const key of keys) this.forget(key);
    return undefined;
  }

  /** A smaller cost was admitted since, so its figures are stale; or units were given back, so it may not hold. */
  forget({ countsName }: KeyCall): void {
    if (this.#denials.size > 0) this.#denials.delete(countsName);
  }

  /** An operator has changed the block of a key. */
  forgetBlock(rowName: string): void {
    for (const [name, denial] of this.#denials) if (denial.rowName === rowName) this.#denials.delete(name);
  }

  clear(): void {
    this.#denials.clear();
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

/** The report of a denial, some microseconds later. */
function figuresOf(
  { report: told }: Denial,
  limits: readonly Limit[],
  costs: readonly number[],
  passedUs: number,
): Report {
  const report = new Report();
  report.admitted = false;
  for (const [i, limit] of told.keptLimits.entries()) report.keptLimits[i] = limit;
  const { block } = told;
  if (block !== undefined) report.block = { ...block, forUs: block.forUs - passedUs, denied: true };
  for (const [i, limit] of limits.entries()) extrapolate(limit, costs[i]!, told, i, passedUs, report);
  return report;
}
