import { TollgateError } from "../../../core/errors.ts";
import { CancelFlag, RUN } from "../clients/cancel-flag.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import type { RedisPort } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import { monotonicMs } from "../event-loop.ts";
import type { Breaker } from "../failure/breaker.ts";
import { Awaited, type ReplyWatch } from "../failure/reply-watch.ts";
import { meaningOf, translateError } from "../failure/translate-error.ts";
import { causeOf, TIMED_OUT, UnavailableError } from "../failure/unavailable-error.ts";
import { withTimeout } from "../failure/with-timeout.ts";
import { LayoutRegistry } from "../layouts/layout-registry.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../script/encode-call.ts";
import { neededLayouts } from "../script/layout.ts";
import { BatchWatches } from "./batch-watches.ts";
import type { Batcher } from "./batcher.ts";
import type { Batch } from "./script-batch.ts";
import type { Work } from "./work.ts";

interface DispatcherOptions {
  readonly port: RedisPort;
  readonly breaker: Breaker;
  readonly watch: ReplyWatch;
  readonly byLimitersClock: boolean;
  readonly prefix: string;
}

/** How often a call may meet layouts that it did not describe. */
const MOST_TRIES = 8;

/** Works that go out as one call of the script. */
interface Sent {
  readonly slot: number;
  readonly sinceMs: number;
  readonly works: readonly Work[];
  /** Called once, after all works were answered or failed. */
  readonly ended: () => void;
  /** How often the script met layouts that it was not told of, and did nothing. */
  readonly tries: number;
  /** Layouts without a description. */
  readonly lost: readonly string[];
}

/** A call of the script in flight. */
class Flight extends Awaited {
  readonly lane: number;
  readonly sent: Sent;
  readonly described: EncodedCall["described"];
  readonly works: readonly Work[];
  /** One of its keys on the server. */
  readonly key: string;
  readonly cancelFlag: CancelFlag;
  readonly ended: () => void;
  readonly sentAtMs: number = monotonicMs();
  quietSinceMs: number;
  isTold = false;
  readonly #failed: (flight: Flight, error: unknown) => void;

  constructor(sent: Sent, { keys, described }: EncodedCall, failed: (flight: Flight, error: unknown) => void) {
    super();
    this.lane = sent.slot;
    this.sent = sent;
    this.described = described;
    this.quietSinceMs = sent.sinceMs;
    this.works = sent.works;
    this.key = keys[0]!;
    this.cancelFlag = new CancelFlag(RUN);
    this.ended = sent.ended;
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
  readonly #layouts: LayoutRegistry;
  #describing: Promise<unknown> | undefined;
  readonly #stopListening: () => void;
  readonly watches: BatchWatches = new BatchWatches();
  /** The key of a probe. In a cluster it leads to the node that failed last. */
  #probeKey: string;

  constructor(options: DispatcherOptions, batcher: Pick<Batcher, "done" | "fail" | "pending" | "returned">) {
    this.#options = options;
    this.#batcher = batcher;
    const { port, prefix, watch } = options;
    this.#layouts = new LayoutRegistry({ port, prefix, timeoutMs: () => watch.leftMs });
    this.#probeKey = `${options.prefix}:probe`;
    this.#stopListening = options.port.onLost(() => options.watch.cancelAll());
  }

  send(batch: Batch): void {
    this.deliver(batch.slot, batch.sinceMs, batch.works, () => this.#batcher.returned(batch));
  }

  /** Ends when calls that met other layouts so far have been sent again. */
  get describing(): Promise<unknown> | undefined {
    return this.#describing;
  }

  /** Sends works as one call of the script. Calls `ended` after they were answered or failed. */
  deliver(slot: number, sinceMs: number, works: readonly Work[], ended: () => void): void {
    this.#deliver({ slot, sinceMs, works, ended, tries: 0, lost: [] });
  }

  #deliver(sent: Sent): void {
    const { watch, port, byLimitersClock } = this.#options;
    const { works, lost } = sent;
    const nowUs = byLimitersClock ? works[0]!.nowUs : undefined;
    const call = encodeCall({ nowUs, transactions: works, lost });
    const flight = new Flight(sent, call, this.#fail);
    watch.expect(flight);
    this.#layouts.note(works, flight.sentAtMs);
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
    const needed = neededLayouts(reply);
    if (needed !== undefined) {
      watch.noteReply(lane, true);
      breaker.succeeded();
      this.watches.ended(flight, undefined);
      const describing = this.#describe(flight, needed);
      this.#describing = Promise.all([this.#describing, describing]).then(() => undefined);
      return;
    }
    let outcomes: readonly TransactionOutcome[] | undefined;
    try {
      outcomes = decodeReply(reply, works, flight.described);
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
    this.watches.ended(flight, undefined);
    for (let i = 0; i < works.length; i += 1) {
      const work = works[i]!;
      const outcome = outcomes[i]!;
      if (outcome.rejected === undefined) this.#batcher.done(work, outcome);
      else this.#batcher.fail(work, new UnavailableError(rejectionCause(outcome.rejected), "command"));
    }
    ended();
    notifyMoves(works, outcomes);
  }

  readonly #fail = (flight: Flight, error: unknown): void => {
    const { breaker, watch } = this.#options;
    const { sent, works, key, lane, sentAtMs, ended, quietSinceMs } = flight;
    this.watches.ended(flight, causeOf(error));
    if (error instanceof UnavailableError && error.kind === "server") {
      this.#probeKey = key;
      breaker.failed(sentAtMs, error.reason);
    } else {
      // An error of the server is a reply, too; an error of the client is not.
      watch.noteReply(lane, true);
      breaker.succeeded();
    }
    if (works.length > 1 && isUndone(error)) {
      this.#deliverEach({ ...sent, sinceMs: quietSinceMs });
      return;
    }
    for (const work of works) this.#batcher.fail(work, error);
    ended();
  };

  /**
   * The script did nothing, because it met layouts that it was not told of: the works are sent again with these. After
   * a second time each is sent by itself, so that a call has few layouts to describe.
   */
  async #describe(flight: Flight, needed: readonly string[]): Promise<void> {
    const { sent, works } = flight;
    const { ended, tries, lost } = sent;
    try {
      if (tries === MOST_TRIES) throw changingError();
      const more = await this.#layouts.describe(works, needed);
      const again = { ...sent, tries: tries + 1, lost: [...lost, ...more] };
      if (tries === 0 || works.length === 1) this.#deliver(again);
      else this.#each(works, ended, (work, oneEnded) => this.#deliver({ ...again, works: [work], ended: oneEnded }));
    } catch (error) {
      this.#fail(flight, error);
    }
  }

  /**
   * A key of another type, or one that is being migrated, fails the whole script call. The script writes last, so
   * nothing happened: sent again one by one and in order, only the works of that key fail.
   */
  #deliverEach({ works, ended, ...sent }: Sent): void {
    this.#each(works, ended, (work, oneEnded) => this.#deliver({ ...sent, works: [work], ended: oneEnded }));
  }

  #each(works: readonly Work[], ended: () => void, deliver: (work: Work, ended: () => void) => void): void {
    let left = works.length;
    const oneEnded = (): void => {
      left -= 1;
      if (left === 0) ended();
    };
    for (const work of works) deliver(work, oneEnded);
  }
}

/** Observers may call limiters, so they are notified last. */
function notifyMoves(works: readonly Work[], outcomes: readonly TransactionOutcome[]): void {
  for (const [i, { moved = [] }] of outcomes.entries()) {
    for (const { key, from } of moved) {
      const { space, key: name } = works[i]!.keys[key]!;
      space.context.onMove?.(name, from, space.plan.limits);
    }
  }
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
