import { TollgateError } from "../../../core/errors.ts";
import { CancelFlag, RUN } from "../clients/cancel-flag.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import type { RedisPort } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import { monotonicMs } from "../event-loop.ts";
import type { Breaker } from "../failure/breaker.ts";
import { Awaited, type ReplyWatch } from "../failure/reply-watch.ts";
import { meaningOf, translateError } from "../failure/translate-error.ts";
import { TIMED_OUT, UnavailableError } from "../failure/unavailable-error.ts";
import { withTimeout } from "../failure/with-timeout.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../script/encode-call.ts";
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

/** A call of the script in flight. */
class Flight extends Awaited {
  readonly lane: number;
  readonly works: readonly Work[];
  /** One of its keys on the server. */
  readonly key: string;
  readonly cancelFlag: CancelFlag;
  /** Called once, after all works were answered or failed. */
  readonly ended: () => void;
  readonly sentAtMs: number = monotonicMs();
  quietSinceMs: number;
  readonly #failed: (flight: Flight, error: unknown) => void;

  constructor(
    lane: number,
    sinceMs: number,
    works: readonly Work[],
    { form, keys }: EncodedCall,
    ended: () => void,
    failed: (flight: Flight, error: unknown) => void,
  ) {
    super();
    this.lane = lane;
    this.quietSinceMs = sinceMs;
    this.works = works;
    this.key = keys[0]!;
    this.cancelFlag = new CancelFlag(form);
    this.ended = ended;
    this.#failed = failed;
  }

  giveUp(): void {
    this.#failed(this, TIMED_OUT);
  }
}

/** Sends batches, each once, and hands the results to the batcher. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #batcher: Pick<Batcher, "done" | "fail" | "pending" | "returned">;
  readonly #stopListening: () => void;
  /** The key of a probe. In a cluster it leads to the node that failed last. */
  #probeKey: string;

  constructor(options: DispatcherOptions, batcher: Pick<Batcher, "done" | "fail" | "pending" | "returned">) {
    this.#options = options;
    this.#batcher = batcher;
    this.#probeKey = `${options.prefix}:probe`;
    this.#stopListening = options.port.onLost(() => options.watch.cancelAll());
  }

  send(batch: Batch): void {
    this.deliver(batch.slot, batch.sinceMs, batch.works, () => this.#batcher.returned(batch));
  }

  /** Sends works as one call of the script. Calls `ended` after they were answered or failed. */
  deliver(slot: number, sinceMs: number, works: readonly Work[], ended: () => void): void {
    const { watch, port, time, maxSkewMs } = this.#options;
    const call = encodeCall({ time, extraMs: time === "server" ? 0 : maxSkewMs, transactions: works });
    const flight = new Flight(slot, sinceMs, works, call, ended, this.#fail);
    watch.expect(flight);
    port.run({ keys: call.keys, args: call.args, cancelFlag: flight.cancelFlag }).then(
      (reply) => (watch.ended(flight) ? this.#replied(flight, reply) : undefined),
      (error: unknown) => (watch.ended(flight) ? this.#fail(flight, meaningOf(error)) : undefined),
    );
  }

  /** Runs the script with a cancelled call. Rejects while the server is unavailable. */
  async probe(timeoutMs: number): Promise<void> {
    const cancelFlag = new CancelFlag(RUN);
    cancelFlag.cancel();
    const answer = this.#options.port.run({ keys: [this.#probeKey], args: [], cancelFlag });
    await withTimeout(timeoutMs, answer.catch(translateError));
  }

  close(): void {
    this.#stopListening();
  }

  #replied(flight: Flight, reply: readonly number[]): void {
    const { breaker, watch } = this.#options;
    const { works, lane, ended } = flight;
    let outcomes: readonly TransactionOutcome[] | undefined;
    try {
      outcomes = decodeReply(reply, works);
    } catch (error) {
      this.#fail(flight, error);
      return;
    }
    watch.noteReply(lane, this.#batcher.pending > works.length);
    // The script saw a cancelled call.
    if (outcomes === undefined) {
      this.#fail(flight, new UnavailableError("connection lost"));
      return;
    }
    breaker.succeeded();
    for (let i = 0; i < works.length; i += 1) {
      const work = works[i]!;
      const outcome = outcomes[i]!;
      if (outcome.rejected === undefined) this.#batcher.done(work, outcome);
      else this.#batcher.fail(work, new UnavailableError(rejectionCause(outcome.rejected), "command"));
    }
    ended();
  }

  readonly #fail = ({ works, key, lane, sentAtMs, ended, quietSinceMs }: Flight, error: unknown): void => {
    const { breaker, watch } = this.#options;
    if (error instanceof UnavailableError && error.kind === "server") {
      this.#probeKey = key;
      breaker.failed(sentAtMs, error.reason);
    } else {
      // An error of the server is a reply, too; an error of the client is not.
      watch.noteReply(lane, true);
      breaker.succeeded();
    }
    if (works.length > 1 && isUndone(error)) {
      this.#deliverEach(lane, quietSinceMs, works, ended);
      return;
    }
    for (const work of works) this.#batcher.fail(work, error);
    ended();
  };

  /**
   * A key of another type, or one that is being migrated, fails the whole script call. The script writes last, so
   * nothing happened: sent again one by one and in order, only the works of that key fail.
   */
  #deliverEach(slot: number, sinceMs: number, works: readonly Work[], ended: () => void): void {
    let left = works.length;
    const oneEnded = (): void => {
      left -= 1;
      if (left === 0) ended();
    };
    for (const work of works) this.deliver(slot, sinceMs, [work], oneEnded);
  }
}

/** Whether the server answered with an error, so that nothing was done. */
function isUndone(error: unknown): boolean {
  if (error instanceof TollgateError) return serverError(error.cause) !== undefined;
  return error instanceof UnavailableError && serverError(error.cause)?.code === "TRYAGAIN";
}
