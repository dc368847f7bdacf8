import { TollgateError } from "../../../core/errors.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import { serverError } from "../clients/server-error.ts";
import { monotonicMs } from "../event-loop.ts";
import { causeOf, UnavailableError } from "../failure/unavailable-error.ts";
import type { CheckedRedisOptions } from "../redis-options.ts";
import { decodeReply } from "../script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../script/encode-call.ts";
import type { ServerLink } from "../server-link.ts";
import { BatchWatches } from "./batch-watches.ts";
import type { Outcome } from "./outcome.ts";
import type { Work } from "./work.ts";

/** Works that go out as one call of the script. */
interface SentWorks {
  /** One server replies to all calls of a lane. */
  readonly lane: number;
  /** When the oldest call was made. */
  readonly sinceMs: number;
  readonly works: readonly Work[];
}

/** Turns works into a call of the script, and the reply into their outcomes. */
export class BatchSender {
  readonly #link: ServerLink;
  readonly #byLimitersClock: boolean;
  readonly watches: BatchWatches = new BatchWatches();

  constructor(link: ServerLink, { byLimitersClock }: Pick<CheckedRedisOptions, "byLimitersClock">) {
    this.#link = link;
    this.#byLimitersClock = byLimitersClock;
  }

  /** Sends works once. Resolves with an outcome of each, and never rejects. */
  async send(sent: SentWorks): Promise<readonly Outcome[]> {
    const { works } = sent;
    try {
      return (await this.#decide(sent)).map(orRejected);
    } catch (error) {
      // A key of another type, or one that is being migrated, fails the whole script call. The script writes last, so
      // nothing happened: sent again one by one and in order, only the works of that key fail.
      if (works.length > 1 && isUndone(error)) return this.#sendEach(sent);
      return works.map(() => ({ error }));
    }
  }

  async #sendEach({ works, ...sent }: SentWorks): Promise<readonly Outcome[]> {
    return (await Promise.all(works.map((work) => this.send({ ...sent, works: [work] })))).flat();
  }

  async #decide(sent: SentWorks): Promise<readonly Outcome[]> {
    const { works } = sent;
    const nowUs = this.#byLimitersClock ? works[0]!.nowUs : undefined;
    const reply = await this.#run(encodeCall({ nowUs, transactions: works }), sent);
    return decodeReply(reply, works) ?? [];
  }

  async #run(call: EncodedCall, { lane, sinceMs, works }: SentWorks): Promise<readonly number[]> {
    const sentAtMs = monotonicMs();
    const { watches } = this;
    try {
      const reply = await this.#link.run(call, lane, sinceMs);
      watches.ended(works, sentAtMs, undefined);
      return reply;
    } catch (error) {
      watches.ended(works, sentAtMs, causeOf(error));
      throw error;
    }
  }
}

function orRejected(outcome: Outcome): Outcome {
  if ("error" in outcome || outcome.rejected === undefined) return outcome;
  return { error: new UnavailableError(rejectionCause(outcome.rejected), "command") };
}

/** Whether the server answered with an error, so that nothing was done. */
function isUndone(error: unknown): boolean {
  if (error instanceof TollgateError) return serverError(error.cause) !== undefined;
  return error instanceof UnavailableError && serverError(error.cause)?.code === "TRYAGAIN";
}
