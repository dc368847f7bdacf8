import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { UnitsBack } from "./lease-times.ts";

/** What the server said last of a key, and when. */
export interface KnownFigures {
  readonly report: Report;
  readonly atUs: number;
}

/** What is known of a key before the server was asked. */
export function unusedFigures({ limits }: Plan, atUs: number): KnownFigures {
  const report = new Report();
  for (let i = 0; i < limits.length; i += 1) {
    report.used[i] = 0;
    report.resetUs[i] = 0;
  }
  return { report, atUs };
}

/** The state of a key as a node sees it. */
export interface LocalView {
  readonly plan: Plan;
  /** One entry per limit. */
  readonly unitsBack: readonly UnitsBack[];
  readonly costs: readonly number[];
  readonly figures: KnownFigures;
  readonly nowUs: number;
  /** Units that this node may still spend, one entry per limit. They count as used on the server. */
  readonly held: readonly number[];
}

/** The report of a call that was admitted without the server: its figures follow from the server's last ones. */
export function admittedReport(view: LocalView): Report {
  const report = new Report(view.costs.length);
  for (let i = 0; i < view.costs.length; i += 1) {
    describe(report, i, view);
    report.conforms[i] = true;
  }
  return report;
}

/** The report of a call that is denied without the server, because the server would deny it for so long. */
export function deniedReport(view: LocalView, waitUs: number): Report {
  const report = new Report();
  report.admitted = false;
  const { limits } = view.plan;
  for (let i = 0; i < limits.length; i += 1) describe(report, i, view);
  let binding = 0;
  for (let i = 1; i < limits.length; i += 1) if (report.waitUs[i]! > report.waitUs[binding]!) binding = i;
  // The figures may have recovered by now; the units are left to other nodes until then.
  const { capacity } = limits[binding]!;
  report.conforms[binding] = false;
  report.waitUs[binding] = Math.max(report.waitUs[binding]!, Math.ceil(waitUs));
  report.used[binding] = Math.max(report.used[binding]!, capacity - view.costs[binding]! + 1);
  return report;
}

/** The server's report, less what this node may still spend. */
export function withoutHeld(plan: Plan, costs: readonly number[], held: readonly number[], from: Report): Report {
  const report = new Report();
  report.admitted = from.admitted;
  report.degraded = from.degraded;
  report.block = from.block;
  let covers = true;
  for (let i = 0; i < costs.length; i += 1) if (held[i]! < costs[i]!) covers = false;
  for (let i = 0; i < plan.limits.length; i += 1) {
    report.conforms[i] = covers || from.conforms[i]!;
    report.used[i] = Math.max(0, from.used[i]! - held[i]!);
    report.usedAfterWait[i] = Math.max(0, from.usedAfterWait[i]! - held[i]!);
    report.waitUs[i] = covers ? 0 : from.waitUs[i]!;
    report.resetUs[i] = from.resetUs[i]!;
    noteEnd(report, i, from);
    if (from.isView[i] === true) report.isView[i] = true;
  }
  if (covers && report.block === undefined) report.admitted = true;
  return report;
}

function describe(report: Report, i: number, { plan, unitsBack, costs, figures, nowUs, held }: LocalView): void {
  const { capacity } = plan.limits[i]!;
  const { isAtReset, everyUs } = unitsBack[i]!;
  const resetUs = Math.max(0, figures.report.resetUs[i]! - (nowUs - figures.atUs));
  const outside = isAtReset ? (resetUs > 0 ? figures.report.used[i]! : 0) : Math.ceil(resetUs / everyUs);
  const used = Math.max(0, outside - held[i]!);
  const excess = used + costs[i]! - capacity;
  const waitUs = excess <= 0 ? 0 : isAtReset ? resetUs : Math.ceil(excess * everyUs);
  if (isAtReset && resetUs > 0) noteEnd(report, i, figures.report);
  report.used[i] = used;
  report.resetUs[i] = isAtReset ? resetUs : Math.ceil(used * everyUs);
  report.waitUs[i] = costs[i]! > capacity ? Number.POSITIVE_INFINITY : waitUs;
  report.conforms[i] = excess <= 0;
  report.usedAfterWait[i] = excess <= 0 ? used : isAtReset ? 0 : used - excess;
}

/** When a window ends, by the server's time: leases are units of the window of the server's last figures. */
function noteEnd(report: Report, i: number, { untilUs }: Report): void {
  const { [i]: us } = untilUs;
  if (us !== undefined) report.untilUs[i] = us;
}
