import { transact } from "../../algorithms/transact.ts";
import type { Clock } from "../../core/clock.ts";
import { Report } from "../../core/report.ts";
import type { Call, SyncSpace } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { SpaceCall } from "../choosing/space.ts";
import { changed, delayed, linesBefore, tellBehind } from "../waiting/behind.ts";
import { type Asker, deniedByLimits } from "./asker.ts";
import type { Request } from "./request.ts";

type Calls = readonly Call<SyncSpace>[];

/** Asks stores in this process, which decide at once. */
export class SyncAsker implements Asker {
  readonly kind = "sync";
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(verb: Verb, request: Request, taken?: readonly Taken[]): Report {
    const { route, keys, now } = request;
    if (!route.someWait) return this.askInTurn(verb, request, taken);
    const { takes, refunds } = VERBS[verb];
    if (takes === "if all conform" && request.costsSomething) {
      request.readTime(this.#clock);
      const before = linesBefore(route, keys, now[0]!);
      if (before.length > 0) return tellBehind(before, this, request, "others-waiting", this.stateOf(request));
    }
    const report = this.askInTurn(verb, request, taken);
    if (refunds) changed(route, keys);
    if (takes === "always") delayed(route, keys, now[0]!);
    return report;
  }

  askInTurn(verb: Verb, request: Request, taken?: readonly Taken[]): Report {
    const { route, now, report } = request;
    const calls = request.calls as Calls;
    request.readTime(this.#clock);
    if (request.deniedBy !== undefined && VERBS[verb].takes !== "never") return deniedByLimits(report);
    report.clear();
    if (!(route.blocks || route.blocking.mayBlock)) return transact(verb, calls, now, taken, report);
    const blockable = { keys: request.keys, calls, members: route.keyIndexes };
    return route.blocking.transact(verb, blockable, now, taken, report);
  }

  stateOf({ route, keys, calls, now }: Request): Report {
    const report = new Report();
    const blockable = { keys, calls: calls as Calls, members: route.keyIndexes };
    if (route.blocking.mayBlock) route.blocking.transact("peek", blockable, now, undefined, report);
    if (report.block === undefined) transact("explain", calls as Calls, now, undefined, report);
    return report;
  }

  look({ space, key, costs }: SpaceCall, now: TimeCell, report: Report): boolean {
    (space as SyncSpace).apply("explain", key, costs, now, report, 0);
    return true;
  }

  jitterUs(): number {
    return 0;
  }
}
