import { preciseMs } from "../../../core/clock.ts";
import { TollgateError } from "../../../core/errors.ts";
import type { SentBatch } from "../../../core/store-readings.ts";
import { type Lane, NOT_WAITING } from "../../remote/deadline.ts";
import { toWallMs } from "../../remote/event-loop.ts";
import type { Listeners } from "../../remote/listeners.ts";
import { causeOf } from "../../remote/unavailable-error.ts";
import { CancelFlag, REHEARSE, RUN } from "../clients/cancel-flag.ts";
import { clientFailure } from "../clients/client-failure.ts";
import type { ScriptReply } from "../clients/redis-port.ts";
import { serverError } from "../clients/server-error.ts";
import { decodeReply, type TransactionOutcome } from "../script/decode-reply.ts";
import type { EncodeCall } from "../script/encode-call.ts";
import type { CallFailure, SentCall } from "../server-link.ts";
import type { Work } from "./work.ts";

/** So many steps block a server for about two milliseconds. */
const MOST_STEPS = 2_000;

const NO_BATCHES: readonly Batch[] = [];

/** What the batches of a store have in common. */
export interface BatchOptions {
  /** The most keys of one script call; below 1: each work alone. */
  readonly mostKeys: number;
  /** Whether the limiters' clocks decide: then only calls of the same moment are in one batch. */
  readonly byLimitersClock: boolean;
  readonly encode: EncodeCall;
  readonly watches: Listeners<SentBatch>;
  /** Sends works of a batch that changed nothing. */
  readonly sendAgain: (part: Batch) => void;
  /** Called with an outcome for each work, or with the error that they all get. */
  readonly ended: (works: readonly Work[], outcomes: readonly TransactionOutcome[] | Error) => void;
}

/** The batches of a server, or of a slot of a cluster. */
export class BatchLane implements Lane {
  repliedMs = 0;
  /** The batch that takes more work. */
  open: Batch | undefined = undefined;
}

/** Work that is sent as one call of the script, in order. */
export class Batch implements SentCall {
  readonly lane: BatchLane;
  works: Work[];
  readonly cancelFlag: CancelFlag;
  keys: readonly string[] = [];
  args: readonly string[] = [];
  quietSinceMs: number;
  sentAtMs = 0;
  index: number = NOT_WAITING;
  readonly #options: BatchOptions;
  /** Whether the works were sent before, with windows of other times. */
  isAgain = false;
  /** After a rejected write: first a rehearsal says which works write, then those that do are apart from the others. */
  readonly #after: "rejection" | "rehearsal" | undefined;
  /** A key counts once for each work. */
  #keyCount = 0;
  #steps = 0;

  constructor(lane: BatchLane, options: BatchOptions, works: Work[], after?: "rejection" | "rehearsal") {
    this.lane = lane;
    this.cancelFlag = new CancelFlag(after === "rejection" ? REHEARSE : RUN);
    this.#after = after;
    this.#options = options;
    this.works = works;
    this.quietSinceMs = works[0]!.sinceMs;
    for (const work of works) this.#note(work);
  }

  fits(work: Work): boolean {
    const { mostKeys, byLimitersClock } = this.#options;
    // The script is given one time.
    if (byLimitersClock && this.works[0]!.nowUs !== work.nowUs) return false;
    return this.#keyCount + work.keys.length <= mostKeys && this.#steps + work.steps <= MOST_STEPS;
  }

  add(work: Work): void {
    this.works.push(work);
    this.#note(work);
  }

  #note({ keys, steps, sinceMs }: Work): void {
    this.#keyCount += keys.length;
    this.#steps += steps;
    this.quietSinceMs = Math.min(this.quietSinceMs, sinceMs);
  }

  /** Writes the keys and arguments of the script call. */
  encode(): this {
    const { works } = this;
    const nowUs = this.#options.byLimitersClock ? works[0]!.nowUs : undefined;
    const { keys, args } = this.#options.encode({ nowUs, transactions: works });
    this.keys = keys;
    this.args = args;
    return this;
  }

  ended(outcome: ScriptReply | CallFailure): void {
    const { watches, sendAgain, ended } = this.#options;
    if (!watches.isEmpty) watches.notify(this.#readings(outcome));
    const parts = this.#partsAfter(outcome);
    if (parts.length > 0) for (const part of parts) sendAgain(part);
    else {
      let outcomes: readonly TransactionOutcome[] | Error;
      try {
        outcomes = outcome instanceof Error ? outcome : (decodeReply(outcome, this.works) ?? []);
      } catch (error) {
        outcomes = error as Error;
      }
      ended(this.works, outcomes);
    }
    // A client may keep a call that was given up, which must not keep its callers.
    this.works = [];
  }

  /**
   * What is to be sent after a batch that changed nothing, so that this is no retry: all works, with the windows of the
   * server's time, those that write apart from the others, or each work alone.
   */
  #partsAfter(outcome: ScriptReply | CallFailure): readonly Batch[] {
    if (outcome instanceof Error) return this.#partsAfterFailure(outcome);
    if (this.#after === "rejection") return this.#sorted(outcome);
    return outcome.length !== 1 || this.isAgain ? NO_BATCHES : [this.#atTime(outcome[0]!)];
  }

  /** The same works, for a server whose time is not what their plans have the windows of. */
  #atTime(us: number): Batch {
    for (const { keys } of this.works) for (const { plan } of keys) plan.cover(us);
    const again = new Batch(this.lane, this.#options, this.works);
    again.isAgain = true;
    return again;
  }

  /**
   * Where the server answered all works with an error. A key of another type, one that is being migrated, or a write
   * that the server rejects fails the whole script call. The script writes last, so nothing happened. Sent one by one
   * and in order, only the works of that key fail. A full server would get a call for each work that way, so what
   * writes is found by a rehearsal.
   */
  #partsAfterFailure(failure: CallFailure): readonly Batch[] {
    if (this.works.length === 1 || !isUndone(failure)) return NO_BATCHES;
    const isRejected = clientFailure(failure.cause).kind === "rejected";
    if (isRejected && this.#after === "rehearsal") return NO_BATCHES;
    if (isRejected && this.#after === undefined) return [new Batch(this.lane, this.#options, this.works, "rejection")];
    return this.works.map((work) => new Batch(this.lane, this.#options, [work]));
  }

  /** The works that write and those that do not, which are decided though the server rejects writes. */
  #sorted([, ...written]: ScriptReply): readonly Batch[] {
    const names = new Set(written.map((key) => this.keys[key - 1]));
    const writing = (work: Work): boolean => work.keys.some(({ name }) => names.has(name));
    return [this.works.filter((work) => !writing(work)), this.works.filter(writing)]
      .filter((works) => works.length > 0)
      .map((works) => new Batch(this.lane, this.#options, works, "rehearsal"));
  }

  /** What observers are told of it after it has ended. */
  #readings(outcome: ScriptReply | CallFailure): SentBatch {
    return {
      calls: this.works.reduce((total, { times }) => total + times, 0),
      keys: this.keys.length,
      sentAtMs: toWallMs(this.sentAtMs),
      durationMs: preciseMs() - this.sentAtMs,
      failure: outcome instanceof Error ? causeOf(outcome) : undefined,
    };
  }
}

/** Whether the server answered with an error, so that nothing was done. */
function isUndone(failure: CallFailure): boolean {
  const answer = serverError(failure.cause);
  const isOfCommand = failure instanceof TollgateError || failure.kind === "command";
  return isOfCommand ? answer !== undefined : answer?.code === "TRYAGAIN";
}
