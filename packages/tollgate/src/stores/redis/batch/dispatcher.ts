import { type Clock, readUs } from "../../../core/clock.ts";
import { TollgateError } from "../../../core/errors.ts";
import { openFence, voidFence } from "../clients/fence-bytes.ts";
import type { Fence, RedisPort, ScriptReply } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import type { Breaker } from "../failure/breaker.ts";
import { within } from "../failure/deadline.ts";
import { Outage } from "../failure/outage.ts";
import { throwMeaning } from "../failure/throw-meaning.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../script/encode-call.ts";
import type { Batch } from "./batch.ts";
import type { Work } from "./work.ts";

export interface DispatcherOptions {
  readonly port: RedisPort;
  readonly breaker: Breaker;
  readonly time: "server" | "client";
  readonly maxSkewMs: number;
  readonly timeoutMs: number;
}

/** What is sent as one call. */
type Sent = Pick<Batch, "works" | "nowUs">;

/** Sends batches, each once, and tells the work in them how it ended. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Of the calls that are under way. */
  readonly #fences = new Set<Fence>();
  readonly #stopListening: () => void;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    // Whether they landed nobody knows: should the client send them again, they must do nothing.
    this.#stopListening = options.port.onLost(() => {
      for (const fence of this.#fences) voidFence(fence);
    });
  }

  send(batch: Batch): void {
    void this.#deliver(batch, this.#options.timeoutMs);
  }

  close(): void {
    this.#stopListening();
  }

  async #deliver({ works, nowUs }: Sent, timeoutMs: number): Promise<void> {
    let outcomes: readonly TransactionOutcome[];
    try {
      outcomes = await this.#outcomesOf(works, timeoutMs);
    } catch (error) {
      if (works.length === 1 || !isUndone(error)) for (const work of works) work.failed(error);
      else this.#deliverEach(works, nowUs);
      return;
    }
    for (const [i, work] of works.entries()) work.done(outcomes[i]!, nowUs);
  }

  /**
   * One key that holds something else, or that is on its way to another node, has the script fail for all. It writes when all is
   * decided, so nothing has happened: each alone, and in their order, only those fail that concern the key. They share the time
   * that was left.
   */
  #deliverEach(works: readonly Work[], nowUs: number): void {
    const leftMs = this.#leftSince(nowUs, works[0]!.keys[0]!.space.clock);
    for (const work of works) void this.#deliver({ works: [work], nowUs }, leftMs);
  }

  /** A clock that fails by now leaves none. */
  #leftSince(nowUs: number, clock: Clock): number {
    const { timeoutMs } = this.#options;
    try {
      const passedMs = (readUs(clock) - nowUs) / 1_000;
      return Math.min(timeoutMs, Math.max(0, timeoutMs - passedMs));
    } catch {
      return 0;
    }
  }

  async #outcomesOf(works: readonly Work[], timeoutMs: number): Promise<readonly TransactionOutcome[]> {
    const { breaker, time, maxSkewMs } = this.#options;
    const call = encodeCall({
      time,
      extraMs: time === "server" ? 0 : maxSkewMs,
      transactions: works,
    });
    return breaker.run(async () => {
      const outcomes = decodeReply(await this.#run(call, timeoutMs), works);
      // The script found its fence void.
      if (outcomes === undefined) throw new Outage("connection lost");
      return outcomes;
    });
  }

  async #run({ keys, args }: EncodedCall, timeoutMs: number): Promise<ScriptReply> {
    const { port } = this.#options;
    const fence = openFence();
    this.#fences.add(fence);
    try {
      return await within(timeoutMs, port.run({ keys, args, fence }).catch(throwMeaning), () => voidFence(fence));
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
