import type { AsyncBlocks, ReportedBlock } from "../../core/blocks.ts";
import type { Clock } from "../../core/clock.ts";
import { type LostCall, overloadOf, RETRY_HINT_US } from "../../core/lost-call.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, ReservationKeeper } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { Asker } from "./asker.ts";
import type { Request } from "./request.ts";

type Calls = readonly Call<AsyncSpace>[];

/** Processes whose calls are told the same time ask apart, by up to this part of the wait. */
const JITTER_PART = 0.1;
const MOST_JITTER_US = 100_000;

/** Asks a store elsewhere: each call is one message. `then` instead of `await`: a flood has many calls in flight. */
export class AsyncAsker extends Asker {
  readonly kind = "async";
  readonly store: AsyncStore;
  override readonly keeper: ReservationKeeper | undefined;

  constructor(store: AsyncStore, clock: Clock) {
    super(clock);
    this.store = store;
    this.keeper = store.keeper;
  }

  protected askStore(verb: Verb, request: Request, taken: readonly Taken[] | undefined): Maybe<Report> {
    if (request.route.uncounted.length === 0 || VERBS[verb].takes === "never")
      return this.#transact(verb, request, taken);
    return this.#askWithBlocks(verb, request, taken);
  }

  stateOf(): undefined {}

  look(): boolean {
    return false;
  }

  /** A random time in the upper half of a part that shrinks with each denial: calls that were denied more ask first. */
  jitterUs(waitUs: number, denials: number): number {
    const longestUs = Math.min(waitUs * JITTER_PART, MOST_JITTER_US) / denials;
    return Math.round((longestUs * (1 + Math.random())) / 2);
  }

  #transact(verb: Verb, { calls, now }: Request, taken: readonly Taken[] | undefined): Maybe<Report> {
    return calls.length === 0 ? new Report() : this.store.transact(verb, calls as Calls, now, taken);
  }

  /** Asks for a call with keys that no space counts: they may be blocked. */
  async #askWithBlocks(verb: Verb, request: Request, taken: readonly Taken[] | undefined): Promise<Report> {
    const isCharge = VERBS[verb].takes === "always";
    const { block, refused } = await latestBlock(request);
    if (block === undefined)
      return refused === undefined || isCharge ? this.#transact(verb, request, taken) : denial(refused);
    const told = await this.#transact(isCharge ? verb : "explain", request, taken);
    const latest = block.forUs > (told.block?.forUs ?? 0) ? block : told.block;
    // A store may answer several calls with one report.
    return Object.assign(new Report(), told, { admitted: false, block: latest });
  }
}

/** Denies a call whose keys may be blocked: otherwise a flood of a blocked key would admit itself. */
function denial(lost: LostCall): Report {
  const report = new Report();
  return Object.assign(report, { admitted: false, degraded: lost.reason, lost, unavailableForUs: RETRY_HINT_US });
}

interface Found {
  /** The block that ends last. */
  block: ReportedBlock | undefined;
  /** A look-up beyond the calls that may wait. */
  refused: LostCall | undefined;
}

/** Looks up the uncounted keys. A store that is unavailable knows no block. */
async function latestBlock({ route, keys, now }: Request): Promise<Found> {
  let latest: ReportedBlock | undefined;
  const lookUps = await Promise.allSettled(
    route.uncounted.map(async (keyIndex) => {
      const blocks = route.owners[keyIndex]!.blocks as AsyncBlocks | undefined;
      const block = await blocks?.find(keys[keyIndex]!, now);
      const forUs = block === undefined ? 0 : block.untilUs - now[0]!;
      if (blocks === undefined || forUs <= (latest?.forUs ?? 0)) return;
      latest = { limiter: blocks.limiter, keyIndex, forUs, reason: block?.reason, denied: true };
    }),
  );
  const refusals = lookUps.map((lookUp) => (lookUp.status === "rejected" ? overloadOf(lookUp.reason) : undefined));
  return { block: latest, refused: refusals.find((lost) => lost !== undefined) };
}
