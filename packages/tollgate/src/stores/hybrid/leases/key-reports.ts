import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { LocalDenials } from "./local-denials.ts";
import {
  admittedReport,
  deniedReport,
  type KnownFigures,
  type LocalView,
  unusedFigures,
  withoutHeld,
} from "./local-report.ts";

/** What callers are told of one key: the server's last figures, less the units that the node holds. */
export class KeyReports {
  readonly #plan: Plan;
  readonly #denials: LocalDenials;
  #figures: KnownFigures;
  /** What identifies the places of the last call that was admitted. */
  decidedUs: number | undefined = undefined;

  constructor(plan: Plan, denials: LocalDenials, nowUs: number) {
    this.#plan = plan;
    this.#denials = denials;
    this.#figures = unusedFigures(plan, nowUs);
  }

  /** Notes the server's figures. */
  note(report: Report, atUs: number): void {
    this.#figures = { report, atUs };
  }

  /** The report of a call that was admitted. `later` calls of the same cost were, too, by the same answer. */
  admitted(costs: readonly number[], later: number, held: readonly number[], nowUs: number): Report {
    const known = held.map((units, limit) => units + later * costs[limit]!);
    const report = admittedReport(this.#view(costs, known, nowUs));
    report.decidedUs = this.decidedUs;
    return report;
  }

  /** The report of a call that a remembered denial denies. */
  denied(costs: readonly number[], held: readonly number[], nowUs: number): Report {
    const denial = this.#denials.find(costs, nowUs);
    if (denial?.report.block !== undefined) return denial.report;
    return deniedReport(this.#view(costs, held, nowUs), denial === undefined ? 1 : denial.untilUs - nowUs);
  }

  /** The server's report, less what the node holds. */
  restated(costs: readonly number[], held: readonly number[], report: Report): Report {
    return withoutHeld(this.#plan, costs, held, report);
  }

  #view(costs: readonly number[], held: readonly number[], nowUs: number): LocalView {
    return { plan: this.#plan, costs, figures: this.#figures, nowUs, held };
  }
}
