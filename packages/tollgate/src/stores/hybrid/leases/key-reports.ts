import { toMilliseconds } from "../../../core/duration.ts";
import type { LeaseStatus, StrictReason } from "../../../core/lease-status.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { LeaseTimes, UnitsBack } from "./lease-times.ts";
import type { LocalDenials } from "./local-denials.ts";
import {
  admittedReport,
  deniedReport,
  type KnownFigures,
  type LocalView,
  unusedFigures,
  withoutHeld,
} from "./local-report.ts";
import type { NodeTime } from "./node-time.ts";

/** What callers are told of one key: the server's last figures, less the units that the node holds. */
export class KeyReports {
  readonly #plan: Plan;
  readonly #unitsBack: readonly UnitsBack[];
  readonly #denials: LocalDenials;
  readonly #time: NodeTime;
  readonly #held: () => readonly number[];
  #figures: KnownFigures;

  constructor(
    plan: Plan,
    { unitsBack }: LeaseTimes,
    denials: LocalDenials,
    time: NodeTime,
    held: () => readonly number[],
  ) {
    this.#plan = plan;
    this.#unitsBack = unitsBack;
    this.#denials = denials;
    this.#time = time;
    this.#held = held;
    this.#figures = unusedFigures(plan, time.us());
  }

  /** Notes the server's figures. */
  note(report: Report, atUs: number): void {
    this.#figures = { report, atUs };
  }

  /** The report of a call that was admitted. `later` calls of the same cost were, too, by the same answer. */
  admitted(costs: readonly number[], later: number): Report {
    const held = this.#held();
    const known = later === 0 ? held : held.map((units, limit) => units + later * costs[limit]!);
    return admittedReport(this.#view(costs, known, this.#time.us()));
  }

  /** The report of a call that a remembered denial denies. */
  denied(costs: readonly number[]): Report {
    const nowUs = this.#time.us();
    const denial = this.#denials.find(costs, nowUs);
    if (denial?.report.block !== undefined) return denial.report;
    return deniedReport(this.#view(costs, this.#held(), nowUs), denial === undefined ? 1 : denial.untilUs - nowUs);
  }

  /** The server's report, less what the node holds. */
  restated(costs: readonly number[], report: Report): Report {
    return withoutHeld(this.#plan, costs, this.#held(), report);
  }

  #view(costs: readonly number[], held: readonly number[], nowUs: number): LocalView {
    return { plan: this.#plan, unitsBack: this.#unitsBack, costs, figures: this.#figures, nowUs, held };
  }
}

/** Where each limit stands at a node: what is held, and for how long, or why the server is asked call by call. */
export function statusesOf(held: readonly number[], lastsUs: number, why: StrictReason | undefined): LeaseStatus[] {
  return held.map((units) => {
    if (why !== undefined) return { how: "strict", why };
    return { how: "leased", held: units, endsInMs: units === 0 ? 0 : toMilliseconds(lastsUs) };
  });
}
