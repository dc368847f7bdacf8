import type { Report } from "../../core/report.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { VERBS } from "../../core/verbs.ts";
import { GAVE_BACK } from "../owned/codec.ts";
import type { Operation, OwnerRequest, Result } from "../owned/messages.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { OwnerLink } from "../owned/owned-store.ts";
import { Administering, Applying, answerAll, type Question, requestOf, type SpaceVerb } from "../owned/questions.ts";
import { afterThisTurn, monotonicMs } from "../remote/event-loop.ts";
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
/** The most characters of keys that wait, so that long keys do not fill the memory. */
const MOST_PENDING_LENGTH = 2 ** 24;
/** The first delay between probes. Each doubles, up to a bound. */
const PROBE_MS = 25;
const LONGEST_PROBE_MS = 1_000;

/**
 * The way to the primary. The calls of one turn of the event loop are one message. Only one message waits for its
 * answer at a time: a flood waits here, in a queue with a bound, and the primary serves all workers in turn.
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
  #sent: Batch | undefined;
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

  apply(call: SpaceVerb, without: (error: UnavailableError) => Report): Promise<Report> {
    return this.#ask(new Applying(call, without));
  }

  async administer(space: OwnedSpace, operation: Operation): Promise<Result> {
    const refusal = this.#refusalOf(1);
    if (refusal !== undefined) throw refusal;
    return this.#ask(new Administering(space, operation));
  }

  /** Waits for the answers of all calls, and ends. */
  async close(): Promise<void> {
    if (this.#queue.length > 0 || this.#sent !== undefined) {
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
    this.#pendingLength += question.length;
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
    if (this.#sent !== undefined || this.#state !== "closed" || this.#queue.length === 0) return;
    let [count, length] = [0, 0];
    while (count < this.#queue.length && count < MOST_CALLS && length < MOST_LENGTH) {
      length += this.#queue[count]!.length;
      count += 1;
    }
    const questions = this.#queue.splice(0, count);
    this.#pendingLength -= length;
    this.#requests += 1;
    // A process that was blocked first reads what has arrived meanwhile.
    const timer = setTimeout(() => {
      batch.timer = setTimeout(() => this.#down(TIMED_OUT), 0);
    }, this.#options.timeoutMs);
    const batch: Batch = { id: this.#requests, sentAtMs: monotonicMs(), questions, timer };
    this.#sent = batch;
    this.#send(batch);
  };

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
    this.#aheadMs = Math.max(this.#aheadMs, answer.nowMs - monotonicMs());
    if (answer.outcome === "other-version") {
      this.#down(OTHER_VERSION);
      return;
    }
    this.#up();
    if (answer.id !== this.#sent?.id) return;
    if (answer.outcome === "done") this.#answered(this.#sent, answer);
    else this.#sendAgain(this.#sent, answer);
  };

  /** The primary did nothing, but what gave back. Its clock is known better now. */
  #sendAgain(batch: Batch, answer: Answer): void {
    const done = batch.questions.filter(({ givesBack }) => givesBack);
    answerAll(done, { ...answer, results: done.map(() => GAVE_BACK) });
    batch.questions = batch.questions.filter(({ givesBack }) => !givesBack);
    if (batch.questions.length > 0) this.#send(batch);
    else this.#answered(batch, answer);
  }

  #answered({ timer, questions }: Batch, answer: Answer): void {
    clearTimeout(timer);
    this.#sent = undefined;
    answerAll(questions, answer);
    this.#next();
  }

  #next(): void {
    // What the callers ask now comes along.
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#sent === undefined) this.#drained?.();
  }

  #up(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#probe);
    clearTimeout(this.#patience);
    const sinceMs = this.#downSinceMs;
    this.#downSinceMs = undefined;
    this.#next();
    if (sinceMs !== undefined) this.#options.notify({ type: "up", downForMs: monotonicMs() - sinceMs });
  }

  readonly #lost = (): void => this.#down(CONNECTION_LOST);

  /** Fails all calls, and refuses further ones. */
  #down(error: UnavailableError): void {
    this.#refusal = error === OTHER_VERSION ? error : CIRCUIT_OPEN;
    if (this.#state === "open") return;
    this.#state = "open";
    this.#downSinceMs = monotonicMs();
    clearTimeout(this.#patience);
    clearTimeout(this.#sent?.timer);
    const failed = [...(this.#sent?.questions ?? []), ...this.#queue];
    this.#sent = undefined;
    this.#queue = [];
    this.#pendingLength = 0;
    this.#probeIn(PROBE_MS);
    this.#options.notify({ type: "down", cause: error.reason });
    for (const question of failed) question.failed(error);
    this.#next();
  }
}
