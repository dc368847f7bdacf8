import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { LeaseTimes, UnitsBack } from "./lease-times.ts";
import type { LocalDenials } from "./local-denials.ts";
import type { NodeMoment, NodeTime } from "./node-time.ts";

/** What callers are told of one key: the server's last figures, less the units that the node holds. */
export class KeyReports {
  readonly #plan: Plan;
  /** How the units of each limit come back. */
  readonly #unitsBack: readonly UnitsBack[];
  readonly #denials: LocalDenials;
  readonly #held: HeldLeases;
  readonly #time: NodeTime;
  /** The server's last figures. Before the first ones nothing is used. */
  #figures = new Report();
  #figuresUs = 0;

  constructor(plan: Plan, { unitsBack }: LeaseTimes, denials: LocalDenials, held: HeldLeases, time: NodeTime) {
    this.#plan = plan;
    this.#unitsBack = unitsBack;
    this.#denials = denials;
    this.#held = held;
    this.#time = time;
    for (const _ of plan.limits) this.#figures.addIdleEntry();
  }

  /** Notes the server's figures. */
  note(report: Report, { us }: NodeMoment): void {
    this.#figures = report;
    this.#figuresUs = us;
  }

  /**
   * The report of a call that was admitted. The script took its units at `decidedUs`, which is the moment of the grant
   * if a lease covers them. `later` calls of the same cost were admitted by the same answer.
   */
  admitted(costs: readonly number[], now: NodeMoment, decidedUs: number | undefined, later = 0): Report {
    const report = new Report(costs.length);
    report.resets = decidedUs;
    for (let i = 0; i < costs.length; i += 1) {
      this.#describe(report, i, costs[i]!, now, later * costs[i]!);
      report.conforms[i] = true;
    }
    return report;
  }

  /** The report of a call that a remembered denial denies. */
  denied(costs: readonly number[]): Report {
    const now = this.#time();
    const denial = this.#denials.find(costs, now.us);
    if (denial?.report.block !== undefined) return denial.report;
    const report = new Report();
    report.admitted = false;
    for (let i = 0; i < costs.length; i += 1) this.#describe(report, i, costs[i]!, now);
    const binding = report.waitUs.indexOf(Math.max(...report.waitUs));
    // The figures may have recovered by now; the units are left to other nodes until then.
    const waitUs = Math.ceil(denial === undefined ? 1 : denial.untilUs - now.us);
    const { capacity } = this.#plan.limits[binding]!;
    report.conforms[binding] = false;
    report.waitUs[binding] = Math.max(report.waitUs[binding]!, waitUs);
    report.used[binding] = Math.max(report.used[binding]!, capacity - costs[binding]! + 1);
    return report;
  }

  /** The server's report, less what the node holds. */
  restated(costs: readonly number[], from: Report): Report {
    const now = this.#time();
    const held = costs.map((_, i) => this.#held.units(i, now));
    const report = new Report();
    report.degraded = from.degraded;
    report.resets = from.resets;
    report.block = from.block;
    const covers = costs.every((cost, i) => held[i]! >= cost);
    report.admitted = from.admitted || (covers && from.block === undefined);
    for (let i = 0; i < this.#plan.limits.length; i += 1) {
      report.conforms[i] = covers || from.conforms[i]!;
      report.used[i] = Math.max(0, from.used[i]! - held[i]!);
      report.usedAfterWait[i] = Math.max(0, from.usedAfterWait[i]! - held[i]!);
      report.waitUs[i] = covers ? 0 : from.waitUs[i]!;
      report.resetUs[i] = from.resetUs[i]!;
      noteEnd(report, i, from);
      if (from.isView[i] === true) report.isView[i] = true;
    }
    return report;
  }

  /** The entry of a limit. What the node may still spend, and `later` units more, count as used on the server. */
  #describe(report: Report, i: number, cost: number, now: NodeMoment, later = 0): void {
    const { capacity } = this.#plan.limits[i]!;
    const { isAtReset, everyUs } = this.#unitsBack[i]!;
    const figures = this.#figures;
    const resetUs = Math.max(0, figures.resetUs[i]! - (now.us - this.#figuresUs));
    const outside = isAtReset ? (resetUs > 0 ? figures.used[i]! : 0) : Math.ceil(resetUs / everyUs);
    const used = Math.max(0, outside - this.#held.units(i, now) - later);
    const excess = used + cost - capacity;
    const waitUs = excess <= 0 ? 0 : isAtReset ? resetUs : Math.ceil(excess * everyUs);
    if (isAtReset && resetUs > 0) noteEnd(report, i, figures);
    report.used[i] = used;
    report.resetUs[i] = isAtReset ? resetUs : Math.ceil(used * everyUs);
    report.waitUs[i] = cost > capacity ? Number.POSITIVE_INFINITY : waitUs;
    report.conforms[i] = excess <= 0;
    report.usedAfterWait[i] = excess <= 0 ? used : isAtReset ? 0 : used - excess;
  }
}

/** When a window ends, by the server's time: leases are units of the window of the server's last figures. */
function noteEnd(report: Report, i: number, { untilUs }: Report): void {
  const { [i]: us } = untilUs;
  if (us !== undefined) report.untilUs[i] = us;
}
