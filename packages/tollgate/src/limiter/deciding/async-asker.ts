import type { AsyncBlocks } from "../../core/blocks.ts";
import type { Clock } from "../../core/clock.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { Asker } from "./asker.ts";
import type { Request } from "./request.ts";

/** Processes whose calls are told the same time ask apart, by up to this part of the wait. */
const JITTER_PART = 0.1;
const MOST_JITTER_US = 100_000;

/** Asks a store elsewhere: each call is one message. `then` instead of `await`: a flood has many calls in flight. */
export class AsyncAsker extends Asker {
  readonly kind = "async";
  readonly #store: AsyncStore;

  constructor(store: AsyncStore, clock: Clock) {
    super(clock);
    this.#store = store;
  }

  protected askStore(verb: Verb, request: Request, taken: readonly Taken[] | undefined): Maybe<Report> {
    if (request.calls.length === 0) return decideUnlimited(verb, request);
    return this.#store.transact(verb, request.calls as readonly Call<AsyncSpace>[], request.now, taken);
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
}

/** Decides a call without limits: its key may be blocked. A store that is unavailable admits the call. */
async function decideUnlimited(verb: Verb, { route, keys, now }: Request): Promise<Report> {
  const report = new Report();
  if (VERBS[verb].takes === "never") return report;
  await Promise.allSettled(
    route.owners.map(async ({ blocks }, keyIndex) => {
      const block = await (blocks as AsyncBlocks | undefined)?.find(keys[keyIndex]!, now);
      const forUs = block === undefined ? 0 : block.untilUs - now[0]!;
      if (blocks === undefined || forUs <= (report.block?.forUs ?? 0)) return;
      report.admitted = false;
      report.block = { limiter: blocks.limiter, keyIndex, forUs, reason: block?.reason, denied: true };
    }),
  );
  return report;
}
