import type { Cost } from "../core/cost.ts";
import { Report } from "../core/report.ts";
import type { Call, SyncSpace } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { Choice } from "./choice.ts";
import type { PlaceUse } from "./place-costs.ts";
import type { SpaceList } from "./space-list.ts";

/** A call whose memory another call reuses. */
interface ReusedCall extends Call<SyncSpace> {
  space: SyncSpace;
  key: string;
  readonly costs: number[];
}

/** The memory in which a decision is made. */
export class Scratch {
  readonly now: TimeCell = createTimeCell();
  readonly report: Report = new Report();
  choice: Choice<SyncSpace> = new Choice<SyncSpace>();
  /** One for each limit of all spaces. */
  readonly costs: number[] = [];
  readonly calls: ReusedCall[] = [];
  /** The spaces of which `calls` are, with the costs in `costs`. */
  #called: SpaceList<SyncSpace> | undefined = undefined;
  /** The spaces and the plain cost of which `costs` are, if they are known. */
  #list: SpaceList<SyncSpace> | undefined = undefined;
  #cost = 0;

  /** Gives the choice to a call that keeps it. */
  takeChoice(): Choice<SyncSpace> {
    const { choice } = this;
    this.choice = new Choice<SyncSpace>();
    return choice;
  }

  /** Writes the costs of a call in these spaces. @throws TollgateError `ERR_COST`. */
  readCosts(list: SpaceList<SyncSpace>, cost: Cost, places?: PlaceUse): void {
    if (list === this.#list && cost === this.#cost) return;
    this.#list = undefined;
    this.#called = undefined;
    list.readCosts(cost, this.costs, places);
    if (typeof cost !== "number" || list.takesPlaces) return;
    this.#list = list;
    this.#cost = cost;
  }

  /** Writes the calls of a cost in these spaces. @throws TollgateError `ERR_COST`. */
  setCalls(list: SpaceList<SyncSpace>, keys: readonly string[], cost: Cost, places?: PlaceUse): void {
    const { spaces, keyIndexes } = list;
    this.readCosts(list, cost, places);
    if (list === this.#called) {
      for (let i = 0; i < spaces.length; i += 1) this.calls[i]!.key = keys[keyIndexes[i]!]!;
      return;
    }
    if (this.calls.length > spaces.length) this.calls.length = spaces.length;
    let from = 0;
    for (let i = 0; i < spaces.length; i += 1) {
      const space = spaces[i]!;
      if (i === this.calls.length) this.calls.push({ space, key: "", costs: [] });
      const call = this.calls[i]!;
      call.space = space;
      call.key = keys[keyIndexes[i]!]!;
      from = this.#setCosts(call.costs, space.plan.limits.length, from);
    }
    if (typeof cost === "number" && !list.takesPlaces) this.#called = list;
  }

  /** Copies costs that begin at `from`, and returns where the next begin. */
  #setCosts(costs: number[], count: number, from: number): number {
    if (costs.length > count) costs.length = count;
    for (let i = 0; i < count; i += 1) costs[i] = this.costs[from + i]!;
    return from + count;
  }
}
