import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { KeyCall } from "../batch/key-call.ts";
import { isForeseeable, restate } from "./foresight.ts";

/** What the server said of a denial. */
interface Denial {
  /** Others of the same cells may enforce other limits of them, list them in another order, or have another clock. */
  readonly plan: Plan;
  readonly sinceUs: number;
  /** Until then the same cost is denied, whoever else calls: only what is given back could change it. */
  readonly untilUs: number;
  readonly costs: readonly number[];
  readonly report: Report;
}

/** So many keys are known to have changed lately; then all may have. */
const MOST_CHANGED = 1_024;

/**
 * Recent denials: until one is over, calls of the same key that cost as much or more are denied without asking. What another
 * node gives back meanwhile is not seen.
 */
export class DenyCache {
  readonly #denials = new Map<string, Denial>();
  /** Keys whose units are being given back, and how many times over: what is said of them is not sure. */
  readonly #unsure = new Map<string, number>();
  /** Where units were given back lately: after how many changes. */
  readonly #changed = new Map<string, number>();
  #changes = 0;
  /** What was asked for before so many changes is not remembered, whatever the key. */
  #leastChanges = 0;
  readonly #mostKeys: number;

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys;
  }

  get size(): number {
    return this.#denials.size;
  }

  /** How often units have been given back so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Notes a denial that the server decided at this moment or later, asked for when there had been so many changes. */
  note({ name, space: { plan }, costs }: KeyCall, report: Report, nowUs: number, changes: number): void {
    if (this.#unsure.has(name) || changes < Math.max(this.#leastChanges, this.#changed.get(name) ?? 0)) return;
    let waitUs = 0;
    for (let i = 0; i < costs.length; i += 1) if (plan.enforces[i]!) waitUs = Math.max(waitUs, report.waitUs[i]!);
    // What never passes is rare, and would never leave.
    if (!Number.isFinite(waitUs)) return;
    this.#denials.delete(name);
    this.#denials.set(name, { plan, sinceUs: nowUs, untilUs: nowUs + waitUs, costs, report });
    if (this.#denials.size <= this.#mostKeys) return;
    const [oldest] = this.#denials.keys();
    if (oldest !== undefined) this.#denials.delete(oldest);
  }

  denies(call: KeyCall, nowUs: number): boolean {
    return this.#denials.size > 0 && this.#find(call, nowUs) !== undefined;
  }

  /** The denial as the server would tell it now; nothing where it has to be asked. */
  reportOf(call: KeyCall, nowUs: number): Report | undefined {
    const denial = this.#denials.size > 0 ? this.#find(call, nowUs) : undefined;
    if (denial === undefined) return undefined;
    const { limits } = denial.plan;
    if (!limits.every(isForeseeable)) return undefined;
    const report = new Report();
    report.admitted = false;
    const passedUs = nowUs - denial.sinceUs;
    for (const [i, limit] of limits.entries()) restate(limit, call.costs[i]!, denial.report, i, passedUs, report);
    return report;
  }

  /** Something less was taken meanwhile: the denial holds, but its figures do not. */
  forget(name: string): void {
    if (this.#denials.size > 0) this.#denials.delete(name);
  }

  /** Forgets a key, and learns nothing of it, while work on the server may change its denials. */
  async suspend<T>(names: readonly string[], work: Promise<T>): Promise<T> {
    for (const name of names) {
      this.#denials.delete(name);
      this.#unsure.set(name, (this.#unsure.get(name) ?? 0) + 1);
    }
    try {
      return await work;
    } finally {
      for (const name of names) this.#release(name);
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
    const times = this.#unsure.get(name) ?? 0;
    if (times > 1) this.#unsure.set(name, times - 1);
    else this.#unsure.delete(name);
  }

  /** The denial that holds for a call; any other is forgotten, because the call may change its figures. */
  #find({ name, space, costs }: KeyCall, nowUs: number): Denial | undefined {
    const denial = this.#denials.get(name);
    if (denial === undefined) return undefined;
    // A clock that went back would lock out for longer than the server does.
    const isNow = nowUs >= denial.sinceUs && nowUs < denial.untilUs;
    if (isNow && denial.plan === space.plan && denial.costs.every((cost, i) => costs[i]! >= cost)) return denial;
    this.#denials.delete(name);
    return undefined;
  }
}
