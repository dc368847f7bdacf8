import { TollgateError } from "../../../core/errors.ts";
import { type CancelFlag, cancel, createCancelFlag } from "../clients/cancel-flag.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import type { RedisPort } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import { monotonicMs } from "../event-loop.ts";
import type { Breaker } from "../failure/breaker.ts";
import type { ReplyWatch } from "../failure/reply-watch.ts";
import { translateError } from "../failure/translate-error.ts";
import { UnavailableError } from "../failure/unavailable-error.ts";
import { withTimeout } from "../failure/with-timeout.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import { encodeCall } from "../script/encode-call.ts";
import type { Batcher } from "./batcher.ts";
import type { Batch } from "./script-batch.ts";
import type { Work } from "./work.ts";

interface DispatcherOptions {
  readonly port: RedisPort;
  readonly breaker: Breaker;
  readonly watch: ReplyWatch;
  readonly time: "server" | "client";
  readonly maxSkewMs: number;
  readonly prefix: string;
}

/** Sends batches, each once, and hands the results to the batcher. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #batcher: Pick<Batcher, "done" | "fail" | "returned">;
  /** The flags of the calls in flight. */
  readonly #cancelFlags = new Set<CancelFlag>();
  readonly #stopListening: () => void;
  /** The key of a probe. In a cluster it leads to the node that failed last. */
  #probeKey: string;

  constructor(options: DispatcherOptions, batcher: Pick<Batcher, "done" | "fail" | "returned">) {
    this.#options = options;
    this.#batcher = batcher;
    this.#probeKey = `${options.prefix}:probe`;
    // Whether the calls were executed is unknown. If the client sends them again, they must do nothing.
    this.#stopListening = options.port.onLost(() => {
      for (const flag of this.#cancelFlags) cancel(flag);
    });
  }

  async send(batch: Batch): Promise<void> {
    await this.#deliver(batch, batch.works);
    this.#batcher.returned(batch);
  }

  /** Runs the script with a cancelled call. Rejects while the server is unavailable. */
  async probe(timeoutMs: number): Promise<void> {
    const cancelFlag = createCancelFlag();
    cancel(cancelFlag);
    const answer = this.#options.port.run({ keys: [this.#probeKey], args: [], cancelFlag });
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
      else for (const work of works) this.#batcher.fail(work, error);
      return;
    }
    for (const [i, work] of works.entries()) {
      const outcome = outcomes[i]!;
      if (outcome.rejected === undefined) this.#batcher.done(work, outcome);
      else this.#batcher.fail(work, new UnavailableError(rejectionCause(outcome.rejected), "command"));
    }
  }

  /**
   * A key of another type, or one that is being migrated, fails the whole script call. The script writes last, so
   * nothing happened: sent again one by one and in order, only the works of that key fail.
   */
  async #deliverEach(batch: Batch, works: readonly Work[]): Promise<void> {
    await Promise.all(works.map((work) => this.#deliver(batch, [work])));
  }

  async #outcomesOf(batch: Batch, works: readonly Work[]): Promise<readonly TransactionOutcome[]> {
    const { breaker, watch, port, time, maxSkewMs } = this.#options;
    const { keys, args } = encodeCall({ time, extraMs: time === "server" ? 0 : maxSkewMs, transactions: works });
    const cancelFlag = createCancelFlag();
    const sentAtMs = monotonicMs();
    this.#cancelFlags.add(cancelFlag);
    try {
      const answer = port.run({ keys, args, cancelFlag }).catch(translateError);
      const reply = await watch.reply(batch.slot, batch.sinceMs, answer, () => cancel(cancelFlag));
      const outcomes = decodeReply(reply, works);
      // The script saw a cancelled call.
      if (outcomes === undefined) throw new UnavailableError("connection lost");
      breaker.succeeded();
      return outcomes;
    } catch (error) {
      if (error instanceof UnavailableError && error.kind === "server") {
        this.#probeKey = keys[0]!;
        breaker.failed(sentAtMs, error.reason);
      } else breaker.succeeded();
      throw error;
    } finally {
      this.#cancelFlags.delete(cancelFlag);
    }
  }
}

/** Whether the server answered with an error, so that nothing was done. */
function isUndone(error: unknown): boolean {
  if (error instanceof TollgateError) return serverError(error.cause) !== undefined;
  return error instanceof UnavailableError && serverError(error.cause)?.code === "TRYAGAIN";
}
