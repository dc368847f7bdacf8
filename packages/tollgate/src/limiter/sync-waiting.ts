import { readInto, readTime } from "../core/clock.ts";
import type { Decision } from "../core/decision.ts";
import { Report } from "../core/report.ts";
import type { SyncSpace } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import type { CheckedRequest } from "./call.ts";
import { allowedByOnly, decide } from "./decide.ts";
import { limitsOf, plansOf } from "./entries.ts";
import { Forecast } from "./forecast.ts";
import type { LineGuard } from "./line-guard.ts";
import { noteDecided } from "./places.ts";
import type { KeyLine, LineReason, Waiter, WaitingCall } from "./waiter.ts";
import { Waiting, type WaitingParts } from "./waiting.ts";

interface Scratch {
  readonly now: TimeCell;
  readonly report: Report;
}

/** Waiting over stores in this process, which decide at once. */
export class SyncWaiting extends Waiting<SyncSpace> {
  readonly #guard: LineGuard;
  readonly #notifyDegraded: (report: Report) => void;
  /** Memory for one decision after another. A call removes it while it decides, because clocks may call again. */
  #scratch: Scratch | undefined = undefined;

  constructor(parts: WaitingParts<SyncSpace>, guard: LineGuard, notifyDegraded: (report: Report) => void) {
    super(parts);
    this.#guard = guard;
    this.#notifyDegraded = notifyDegraded;
  }

  override ask(waiter: Waiter<SyncSpace>, line: KeyLine<SyncSpace>): void {
    let decision: Decision;
    try {
      const request = this.request(waiter.call);
      decision = this.#takeAlone(request) ?? this.#decisionOn(request, this.#take(request));
    } catch (error) {
      line.failed(waiter, error);
      return;
    }
    line.answered(waiter, decision);
  }

  override jitterUs(): number {
    return 0;
  }

  override createForecast(_line: KeyLine<SyncSpace>, nowUs: number): Forecast<SyncSpace> {
    return new Forecast<SyncSpace>(nowUs, ({ space, key, costs }, now, report) => {
      space.apply("explain", key, costs, now, report, 0);
      return true;
    });
  }

  override denyBehind(line: KeyLine<SyncSpace>, call: WaitingCall<SyncSpace>, reason: LineReason): Decision {
    const request = this.request(call);
    return this.#decisionOn(request, this.#guard.tellDenied(line, request, readTime(this.clock), reason));
  }

  /** The store decides before a signal can abort. */
  override giveBack(): void {}

  /** The usual call: its only limit lets it pass, in a space that can say so at once. Allocates nothing else. */
  #takeAlone({ calls }: CheckedRequest<SyncSpace>): Decision | undefined {
    const call = calls[0];
    if (call === undefined || calls.length > 1 || this.#guard.mayBeBlocked) return undefined;
    const { space, key, costs } = call;
    const { limits, limiter, takesPlaces } = space.plan;
    const limit = limits[0];
    if (takesPlaces || limit?.mode !== "enforce" || limits.length > 1) return undefined;
    const scratch = this.#scratch ?? { now: createTimeCell(), report: new Report() };
    this.#scratch = undefined;
    const { now, report } = scratch;
    readInto(this.clock, now);
    const isAllowed = space.consumeKept?.(key, costs[0]!, now, report) === true;
    const decision = isAllowed ? allowedByOnly(limiter, limits, limit, report) : undefined;
    if (isAllowed) space.maintain();
    this.#scratch = scratch;
    return decision;
  }

  /** A call that waits is no offence: a denial must not begin a block. */
  #take(request: CheckedRequest<SyncSpace>): Report {
    const now = readTime(this.clock);
    const { calls } = request;
    if (calls.some(({ space: { plan } }) => plan.limits.some(({ blockFor }) => blockFor !== undefined))) {
      // What begins empty begins to fill with its first call.
      const touches = calls.map((call) => ({ ...call, costs: call.costs.map(() => 0) }));
      this.#guard.transactInTurn("take", { ...request, calls: touches }, createTimeCell(now[0]));
      const report = this.#guard.transactInTurn("peek", request, now);
      if (!report.admitted) return report;
    }
    const report = this.#guard.transactInTurn("take", request, now);
    if (calls.some(({ space }) => space.plan.takesPlaces)) report.decidedUs = now[0];
    this.#notifyDegraded(report);
    return report;
  }

  #decisionOn({ calls }: CheckedRequest<SyncSpace>, report: Report): Decision {
    const plans = plansOf(calls);
    const decision = decide(this.name, plans, limitsOf(plans, report), report);
    if (report.decidedUs !== undefined) noteDecided(decision, report.decidedUs);
    return decision;
  }
}
