import { Report } from "../../core/report.ts";
import type { AsyncSpace, Call, TakenFrom } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { StoreOnServer } from "../redis/redis-store.ts";
import { isLocalMoment, PlaceHolders } from "./leases/place-holders.ts";
import type { DecidingSpace } from "./local-space.ts";

/** The places that this process gave to calls from leases. The server knows nothing of these calls. */
export class LocalPlaces {
  readonly holders: PlaceHolders = new PlaceHolders();
  readonly #store: StoreOnServer;

  constructor(store: StoreOnServer) {
    this.#store = store;
  }

  /** Frees or renews places of a call that has some of this process; `undefined` for all other calls. */
  decide(
    verb: Verb,
    [call]: readonly Call<AsyncSpace>[],
    now: TimeCell,
    takenFrom: TakenFrom | undefined,
  ): Promise<Report> | undefined {
    const { refunds, renews } = VERBS[verb];
    if (call === undefined) return undefined;
    const heldUs = renews ? call.costs.find(isLocalMoment) : undefined;
    if (heldUs !== undefined) return this.#renew(heldUs, call, now);
    const takenUs = takenFrom?.takenUs;
    if (!refunds || takenUs === undefined || !isLocalMoment(takenUs)) return undefined;
    this.holders.find(takenUs)?.freePlaces(takenUs, call.costs);
    return Promise.resolve(new Report());
  }

  async #renew(heldUs: number, { space, key, costs }: Call<AsyncSpace>, now: TimeCell): Promise<Report> {
    const holder = this.holders.find(heldUs);
    if (holder === undefined) return lost(costs);
    const nowUs = now[0]!;
    try {
      return await holder.renewPlaces(costs);
    } catch (error) {
      const call = (space as DecidingSpace).redis.call(key, costs, nowUs);
      return this.#store.decideWithout(error, "renew", [call], nowUs);
    }
  }
}

/** No place is kept. */
function lost(costs: readonly number[]): Report {
  const report = new Report();
  report.admitted = false;
  for (const [limit, momentUs] of costs.entries()) report.conforms[limit] = momentUs === 0;
  return report;
}
