import { transact } from "../../algorithms/transact.ts";
import { Report } from "../../core/report.ts";
import type { Call, SyncSpace } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { SpaceCall } from "../choosing/space.ts";
import { Asker } from "./asker.ts";
import type { Request } from "./request.ts";

type Calls = readonly Call<SyncSpace>[];

/** Asks stores in this process, which decide at once. */
export class SyncAsker extends Asker {
  readonly kind = "sync";

  protected askStore(verb: Verb, request: Request, taken: readonly Taken[] | undefined): Report {
    const { route, now, report } = request;
    const calls = request.calls as Calls;
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
