import { TollgateError } from "../../../core/errors.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import type { RedisPort } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import { monotonicMs } from "../event-loop.ts";
import { causeOf, UnavailableError } from "../failure/unavailable-error.ts";
import { LayoutRegistry } from "../layouts/layout-registry.ts";
import type { CheckedRedisOptions } from "../redis-options.ts";
import { decodeReply } from "../script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../script/encode-call.ts";
import { neededLayouts } from "../script/layout.ts";
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
  /** Layouts without a description. */
  readonly lost?: readonly string[];
}

/** How often a call may meet layouts that it did not describe. */
const MOST_TRIES = 8;

/** Turns works into a call of the script, and the reply into their outcomes. */
export class BatchSender {
  readonly #link: ServerLink;
  readonly #byLimitersClock: boolean;
  readonly #layouts: LayoutRegistry;
  readonly watches: BatchWatches = new BatchWatches();

  constructor(
    link: ServerLink,
    port: RedisPort,
    { prefix, byLimitersClock }: Pick<CheckedRedisOptions, "prefix" | "byLimitersClock">,
  ) {
    this.#link = link;
    this.#byLimitersClock = byLimitersClock;
    this.#layouts = new LayoutRegistry({ port, prefix, timeoutMs: () => link.leftMs });
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

  /**
   * The script does nothing if it meets layouts that it was not told of: the works are sent again with these. After a
   * second time each is sent by itself, so that a call has few layouts to describe.
   */
  async #decide(sent: SentWorks): Promise<readonly Outcome[]> {
    const { works } = sent;
    const lost = [...(sent.lost ?? [])];
    for (let tries = 0; tries <= MOST_TRIES; tries += 1) {
      if (tries === 2 && works.length > 1) return this.#sendEach({ ...sent, lost });
      const nowUs = this.#byLimitersClock ? works[0]!.nowUs : undefined;
      const call = encodeCall({ nowUs, transactions: works, lost });
      this.#layouts.note(works, monotonicMs());
      const reply = await this.#run(call, sent);
      const needed = neededLayouts(reply);
      if (needed === undefined) return decodeReply(reply, works, call.described) ?? [];
      lost.push(...(await this.#layouts.describe(works, needed)));
    }
    throw changingError();
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

function changingError(): TollgateError {
  return new TollgateError(
    "ERR_STORE",
    `redisStore: expected limits that stay, got others at each of ${MOST_TRIES} tries`,
  );
}

/** Whether the server answered with an error, so that nothing was done. */
function isUndone(error: unknown): boolean {
  if (error instanceof TollgateError) return serverError(error.cause) !== undefined;
  return error instanceof UnavailableError && serverError(error.cause)?.code === "TRYAGAIN";
}
