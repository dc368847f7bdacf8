import { preciseMs } from "../../core/clock.ts";
import type { Report } from "../../core/report.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { VERBS } from "../../core/verbs.ts";
import { GAVE_BACK } from "../owned/codec.ts";
import type { Operation, OwnerRequest, Result } from "../owned/messages.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { OwnerLink } from "../owned/owned-store.ts";
import {
  Administering,
  Applying,
  answerAll,
  type DecideWithout,
  type Question,
  requestOf,
  type SpaceVerb,
} from "../owned/questions.ts";
import { afterThisTurn } from "../remote/event-loop.ts";
import { CIRCUIT_OPEN, CONNECTION_LOST, OVERLOADED, TIMED_OUT, UnavailableError } from "../remote/unavailable-error.ts";
import { type Answer, contentOf, seal } from "./channel-messages.ts";

/** Sends a message to another process. Node calls back when it has been written. */
export type Send = (
  message: object,
  handle?: undefined,
  options?: undefined,
  written?: (error: Error | null) => void,
) => unknown;

/** What is used of the `process` of a worker. */
export interface WorkerChannel {
  readonly send?: Send | undefined;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
  off(event: "disconnect", listener: () => void): unknown;
}

export interface LinkOptions {
  readonly channel: WorkerChannel & { readonly send: Send };
  readonly topic: string;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxPending: number;
  readonly notify: (observation: StoreObservation) => void;
}

interface Batch {
  readonly id: number;
  readonly sentAtMs: number;
  questions: readonly Question[];
  timer: ReturnType<typeof setTimeout>;
}

const OTHER_VERSION = new UnavailableError("the primary has another version of tollgate");
/** The most calls in one message, and about the most characters of their keys. */
const MOST_CALLS = 512;
const MOST_LENGTH = 2 ** 18;
/** Messages that wait for their answers: while the primary decides one, this process writes or reads the other. */
const MOST_SENT = 2;
/** The least calls of a second message, so that it costs each of them little. */
const LEAST_CALLS = 48;
/** The most characters of keys that wait, so that long keys do not fill the memory. */
const MOST_PENDING_LENGTH = 2 ** 24;
/** The first delay between probes. Each doubles, up to a bound. */
const PROBE_MS = 25;
const LONGEST_PROBE_MS = 1_000;

/**
 * The way to the primary. The calls of one turn of the event loop are one message, or two if they are many. Only so
 * many messages wait for their answers: a flood waits here, in a queue with a bound, and the primary serves all workers
 * in turn.
 *
 * While the primary does not answer, calls are refused at once, and probes ask whether it is back.
 */
export class PrimaryLink implements OwnerLink {
  readonly #options: LinkOptions;
  readonly #client = `${Math.random()}`;
  /** `"opening"`: the primary has not answered yet, and calls wait for it. */
  #state: "opening" | "closed" | "open" = "opening";
  #refusal: UnavailableError = CIRCUIT_OPEN;
  #queue: Question[] = [];
  #pendingLength = 0;
  /** In the order in which they were sent. */
  #sent: readonly Batch[] = [];
  #requests = 0;
  #isScheduled = false;
  /** The number of the primary that answers. */
  #primary = 0;
  /** How far its clock is ahead at least: an answer never comes before it is sent. */
  #aheadMs = Number.NEGATIVE_INFINITY;
  #probe: ReturnType<typeof setTimeout> | undefined;
  /** Until when the first calls wait for a primary. */
  #patience: ReturnType<typeof setTimeout> | undefined;
  #downSinceMs: number | undefined;
  #drained: (() => void) | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    options.channel.on("message", this.#take);
    options.channel.on("disconnect", this.#lost);
    this.#probeIn(PROBE_MS);
  }

  get isUp(): boolean {
    return this.#state !== "open";
  }

  refusal({ verb }: SpaceVerb): UnavailableError | undefined {
    return this.#refusalOf(VERBS[verb].refunds ? 2 : 1);
  }

  apply(call: SpaceVerb, without: DecideWithout): Promise<Report> {
    return this.#ask(new Applying(call, without));
  }

  async administer(space: OwnedSpace, operation: Operation): Promise<Result> {
    const refusal = this.#refusalOf(1);
    if (refusal !== undefined) throw refusal;
    return this.#ask(new Administering(space, operation));
  }

  /** Waits for the answers of all calls, and ends. */
  async close(): Promise<void> {
    if (this.#queue.length + this.#sent.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    this.#state = "open";
    clearTimeout(this.#probe);
    this.#options.channel.off("message", this.#take);
    this.#options.channel.off("disconnect", this.#lost);
  }

  /** Why the primary is not asked. So many times as many calls as usual may wait. */
  #refusalOf(times: number): UnavailableError | undefined {
    if (this.#state === "open") return this.#refusal;
    const isFull = this.#queue.length >= times * this.#options.maxPending;
    return isFull || this.#pendingLength > times * MOST_PENDING_LENGTH ? OVERLOADED : undefined;
  }

  #ask<T>(question: Question & { readonly answer: Promise<T> }): Promise<T> {
    this.#queue.push(question);
    this.#pendingLength += lengthOf(question);
    const { timeoutMs, connectTimeoutMs } = this.#options;
    if (this.#state !== "opening") this.#schedule();
    else this.#patience ??= setTimeout(() => this.#down(TIMED_OUT), Math.max(timeoutMs, connectTimeoutMs));
    return question.answer;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterThisTurn(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    // One that fails to send puts the state to "open".
    while (this.#state === "closed" && this.#queue.length > 0 && this.#maySend()) this.#sendNext();
  };

  #maySend(): boolean {
    return this.#sent.length === 0 || (this.#sent.length < MOST_SENT && this.#queue.length >= LEAST_CALLS);
  }

  #sendNext(): void {
    const waiting = this.#queue.length;
    const isSplit = this.#sent.length === 0 && waiting >= MOST_SENT * LEAST_CALLS;
    const most = Math.min(MOST_CALLS, isSplit ? Math.ceil(waiting / MOST_SENT) : waiting);
    let [count, length] = [0, 0];
    while (count < most && length < MOST_LENGTH) {
      length += lengthOf(this.#queue[count]!);
      count += 1;
    }
    const questions = this.#queue.splice(0, count);
    this.#pendingLength -= length;
    this.#requests += 1;
    // A process that was blocked first reads what has arrived meanwhile.
    const timer = setTimeout(() => {
      batch.timer = setTimeout(() => this.#down(TIMED_OUT), 0);
    }, this.#options.timeoutMs);
    const batch: Batch = { id: this.#requests, sentAtMs: preciseMs(), questions, timer };
    this.#sent = [...this.#sent, batch];
    this.#send(batch);
  }

  #send({ id, sentAtMs, questions }: Batch): void {
    const dueMs = sentAtMs + this.#aheadMs + this.#options.timeoutMs;
    this.#post(id, dueMs, requestOf(this.#client, questions, this.#primary));
  }

  #post(id: number, dueMs: number, request: OwnerRequest): void {
    const { channel, topic } = this.#options;
    const message = seal(topic, { ...request, id, dueMs });
    try {
      channel.send(message, undefined, undefined, (error) => {
        if (error instanceof Error) this.#lost();
      });
    } catch {
      this.#lost();
    }
  }

  /** Asks whether there is a primary, again and again until it answers. */
  #probeIn(delayMs: number): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => this.#probeIn(Math.min(2 * delayMs, LONGEST_PROBE_MS)), delayMs);
    this.#probe.unref?.();
    this.#post(0, 0, requestOf(this.#client, [], 0));
  }

  readonly #take = (message: unknown): void => {
    const answer = contentOf(this.#options.topic, message) as Answer | undefined;
    if (answer === undefined || answer.client !== this.#client) return;
    if (answer.owner !== this.#primary) this.#aheadMs = Number.NEGATIVE_INFINITY;
    this.#primary = answer.owner;
    this.#aheadMs = Math.max(this.#aheadMs, answer.nowMs - preciseMs());
    if (answer.outcome === "other-version") {
      this.#down(OTHER_VERSION);
      return;
    }
    this.#up();
    const batch = this.#sent.find(({ id }) => id === answer.id);
    if (batch === undefined) return;
    if (answer.outcome === "done") this.#answered(batch, answer);
    else this.#sendAgain(batch, answer);
  };

  /** The primary did nothing, but what gave back. Its clock is known better now. */
  #sendAgain(batch: Batch, answer: Answer): void {
    const done = batch.questions.filter(({ givesBack }) => givesBack);
    answerAll(done, { ...answer, results: done.map(() => GAVE_BACK) });
    batch.questions = batch.questions.filter(({ givesBack }) => !givesBack);
    if (batch.questions.length > 0) this.#send(batch);
    else this.#answered(batch, answer);
  }

  #answered(batch: Batch, answer: Answer): void {
    clearTimeout(batch.timer);
    this.#sent = this.#sent.filter((other) => other !== batch);
    answerAll(batch.questions, answer);
    this.#next();
  }

  #next(): void {
    // What the callers ask now comes along.
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#sent.length === 0) this.#drained?.();
  }

  #up(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#probe);
    clearTimeout(this.#patience);
    const sinceMs = this.#downSinceMs;
    this.#downSinceMs = undefined;
    this.#next();
    if (sinceMs !== undefined) this.#options.notify({ type: "up", downForMs: preciseMs() - sinceMs });
  }

  readonly #lost = (): void => this.#down(CONNECTION_LOST);

  /** Fails all calls, and refuses further ones. */
  #down(error: UnavailableError): void {
    this.#refusal = error === OTHER_VERSION ? error : CIRCUIT_OPEN;
    if (this.#state === "open") return;
    this.#state = "open";
    this.#downSinceMs = preciseMs();
    clearTimeout(this.#patience);
    for (const { timer } of this.#sent) clearTimeout(timer);
    const failed = [...this.#sent.flatMap(({ questions }) => questions), ...this.#queue];
    this.#sent = [];
    this.#queue = [];
    this.#pendingLength = 0;
    this.#probeIn(PROBE_MS);
    this.#options.notify({ type: "down", cause: error.reason });
    for (const question of failed) question.failed(error);
    this.#next();
  }
}

/** The characters of the keys of a question. */
function lengthOf({ calls }: Question): number {
  let length = 0;
  for (const { key } of calls) length += key.length;
  return length;
}
