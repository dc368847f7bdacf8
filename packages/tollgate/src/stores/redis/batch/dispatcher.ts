import { TollgateError } from "../../../core/errors.ts";
import { refusalCause } from "../clients/client-failure.ts";
import { openFence, voidFence } from "../clients/fence-bytes.ts";
import type { Fence, RedisPort } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import type { Breaker } from "../failure/breaker.ts";
import { monotonicMs } from "../failure/monotonic-time.ts";
import { Outage } from "../failure/outage.ts";
import type { ReplyWatch } from "../failure/reply-watch.ts";
import { translateError } from "../failure/translate-error.ts";
import { withTimeout } from "../failure/with-timeout.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import { encodeCall } from "../script/encode-call.ts";
import type { Batch } from "./batch.ts";
import type { Work } from "./work.ts";

/** Hears how the work of batches ended. */
export interface DispatchEnd {
  done(work: Work, outcome: TransactionOutcome): void;
  fail(work: Work, error: unknown): void;
  returned(batch: Batch): void;
}

export interface DispatcherOptions {
  readonly port: RedisPort;
  readonly breaker: Breaker;
  readonly watch: ReplyWatch;
  readonly time: "server" | "client";
  readonly maxSkewMs: number;
  readonly prefix: string;
}

/** Sends batches, each once, and tells how the work in them ended. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #end: DispatchEnd;
  /** Of the calls that are under way. */
  readonly #fences = new Set<Fence>();
  readonly #stopListening: () => void;
  /** What a probe names. In a cluster it goes to the node that failed last. */
  #probeKey: string;

  constructor(options: DispatcherOptions, end: DispatchEnd) {
    this.#options = options;
    this.#end = end;
    this.#probeKey = `${options.prefix}:probe`;
    // Whether they landed is unknown: should the client send them again, they must do nothing.
    this.#stopListening = options.port.onLost(() => {
      for (const fence of this.#fences) voidFence(fence);
    });
  }

  async send(batch: Batch): Promise<void> {
    await this.#deliver(batch, batch.works);
    this.#end.returned(batch);
  }

  /** Has the server run the script, which does nothing. Rejects where the server could not be asked. */
  async probe(timeoutMs: number): Promise<void> {
    const fence = openFence();
    voidFence(fence);
    const answer = this.#options.port.run({ keys: [this.#probeKey], args: [], fence });
    await withTimeout(timeoutMs, answer.catch(translateError));
  }

  close(): void {
    this.#stopListening();
  }

  async #deliver(batch: Batch, works: readonly Work[]): Promise<void> {
    let outcomes: readonly TransactionOutcome[];
    try {
      outcomes = await this.#outcomesOf(batch, works);
    } catch (error) {
      if (works.length > 1 && isUndone(error)) await this.#deliverEach(batch, works);
      else for (const work of works) this.#end.fail(work, error);
      return;
    }
    for (const [i, work] of works.entries()) {
      const outcome = outcomes[i]!;
      if (outcome.refused === undefined) this.#end.done(work, outcome);
      else this.#end.fail(work, new Outage(refusalCause(outcome.refused), "command"));
    }
  }

  /**
   * One key that holds something else, or that is on its way to another node, has the script fail for all. It writes when all is
   * decided, so nothing has happened: each alone, and in their order, only those fail that concern the key.
   */
  async #deliverEach(batch: Batch, works: readonly Work[]): Promise<void> {
    await Promise.all(works.map((work) => this.#deliver(batch, [work])));
  }

  async #outcomesOf(batch: Batch, works: readonly Work[]): Promise<readonly TransactionOutcome[]> {
    const { breaker, watch, port, time, maxSkewMs } = this.#options;
    const { keys, args } = encodeCall({ time, extraMs: time === "server" ? 0 : maxSkewMs, transactions: works });
    const fence = openFence();
    const sentAtMs = monotonicMs();
    this.#fences.add(fence);
    try {
      const answer = port.run({ keys, args, fence }).catch(translateError);
      const reply = await watch.reply(batch.slot, batch.sinceMs, answer, () => voidFence(fence));
      const outcomes = decodeReply(reply, works);
      // The script found that the call had been given up.
      if (outcomes === undefined) throw new Outage("connection lost");
      breaker.succeeded();
      return outcomes;
    } catch (error) {
      if (error instanceof Outage && error.kind === "server") {
        this.#probeKey = keys[0]!;
        breaker.failed(sentAtMs);
      } else breaker.succeeded();
      throw error;
    } finally {
      this.#fences.delete(fence);
    }
  }
}

/** Whether the server answered that it would not, or not yet: nothing was done. */
function isUndone(error: unknown): boolean {
  if (error instanceof TollgateError) return serverError(error.cause) !== undefined;
  return error instanceof Outage && serverError(error.cause)?.code === "TRYAGAIN";
}
