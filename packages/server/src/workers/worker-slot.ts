import cluster, { type Worker } from "node:cluster";
import { type Family, lastingFamilies, mergeFamilies } from "../admin/families.ts";
import type { LimitsState } from "../limits/limits-state.ts";
import type { Log } from "../log/log.ts";
import { type FromWorker, PRIMARY, type ToWorker, WORKER_ENV, type WorkerRequest } from "./messages.ts";
import { type Answered, Questions } from "./questions.ts";

/** A worker could not start. It has the name and message of the error. */
class WorkerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface Ready {
  readonly url: string;
  readonly grpcPort: number | undefined;
}

/** Gives a question or an answer of one worker to another. */
export type PassOn = (message: PeerMessage, from: string) => void;

type PeerMessage = Extract<FromWorker, { readonly type: "ask" | "answer" }>;

export interface WorkerSlotOptions {
  readonly log: Log;
  readonly passOn: PassOn;
  /** The limits that a worker begins with. `undefined`: it reads the files itself. */
  readonly lead: () => LimitsState | undefined;
}

/** The delays before a worker starts again: each doubles, up to a bound. */
const FIRST_DELAY_MS = 100;
const MOST_DELAY_MS = 10_000;
/** A worker that has run for so long begins again with the first delay. */
const STEADY_MS = 30_000;
/** A worker that does not answer within this time counts with its last figures. */
const COLLECT_MS = 2_000;

/** The place of one worker. A worker that dies is followed by another. */
export class WorkerSlot {
  readonly number: number;
  readonly #log: Log;
  readonly #options: WorkerSlotOptions;
  #worker: Worker | undefined;
  #ready: Ready | undefined;
  #stopping = false;
  #startedMs = 0;
  #diedMs = Number.NEGATIVE_INFINITY;
  #delayMs = FIRST_DELAY_MS;
  #restart: NodeJS.Timeout | undefined;
  #restarts = 0;
  #last: readonly Family[] = [];
  /** The counters of workers that are gone. */
  #gone: readonly Family[] = [];
  readonly #questions = new Questions();
  /** Whether the worker has asked for limits: if not yet, it will get those of then. */
  #hasLimits = false;

  constructor(number: number, options: WorkerSlotOptions) {
    this.number = number;
    this.#options = options;
    this.#log = options.log;
  }

  get isReady(): boolean {
    return this.#ready !== undefined;
  }

  /** Whether the worker has to be told of other limits: one that is starting asks for them itself. */
  get hasLimits(): boolean {
    return this.#hasLimits;
  }

  get diedMsAgo(): number {
    return performance.now() - this.#diedMs;
  }

  /** How often a worker had to be started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /** @throws WorkerError if the worker cannot start. */
  start(): Promise<Ready> {
    return new Promise((resolve, reject) => this.#fork(resolve, reject));
  }

  tell(message: ToWorker): void {
    // A worker that is starting or gone reads the files anyway.
    if (this.#worker?.isConnected() === true) this.#worker.send(message);
  }

  ask(request: WorkerRequest, patienceMs: number): Promise<Answered> {
    return this.#questions.ask((id) => this.tell({ type: "ask", id, from: PRIMARY, content: request }), patienceMs);
  }

  async collect(): Promise<readonly Family[]> {
    const answered = this.#ready === undefined ? undefined : await this.ask({ what: "metrics" }, COLLECT_MS);
    if (answered?.kind === "answer") this.#last = (answered.content as readonly Family[] | undefined) ?? [];
    return [...this.#last, ...this.#gone];
  }

  /** Lets the worker finish its requests. It is killed when the time is over. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined || worker.isDead()) return;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    this.tell({ type: "stop" });
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), graceMs);
    await exited;
    clearTimeout(kill);
  }

  #fork(started: (ready: Ready) => void, failed: (error: Error) => void): void {
    const worker = cluster.fork({ [WORKER_ENV]: String(this.number) });
    this.#worker = worker;
    this.#startedMs = performance.now();
    worker.on("message", (message: FromWorker | { readonly type: "process:msg" }) => {
      // What the worker asks the store of this process.
      if (message.type === "process:msg") return;
      if (message.type === "failed") failed(new WorkerError(message.name, message.message));
      else this.#take(message, started);
    });
    // Such as a channel that closes while a message is sent: `exit` follows.
    worker.on("error", () => {});
    worker.on("exit", (code, signal) => {
      const cause = signal ?? `code ${code}`;
      failed(new WorkerError("WorkerError", `a worker ended before it was ready: ${cause}`));
      this.#ended(cause);
    });
  }

  #take(message: Exclude<FromWorker, { readonly type: "failed" }>, started: (ready: Ready) => void): void {
    if (message.type === "ready") {
      this.#ready = message;
      started(message);
    } else if (message.type === "begin") {
      this.#hasLimits = true;
      this.tell({ type: "answer", id: message.id, from: PRIMARY, content: this.#options.lead() });
    } else if (message.type === "answer" && message.to === PRIMARY) this.#questions.take(message.id, message.content);
    else this.#options.passOn(message, String(this.number));
  }

  #ended(cause: string): void {
    this.#ready = undefined;
    this.#diedMs = performance.now();
    this.#hasLimits = false;
    this.#questions.end();
    this.#gone = mergeFamilies([lastingFamilies(this.#last), this.#gone]);
    this.#last = [];
    if (this.#stopping) return;
    if (performance.now() - this.#startedMs > STEADY_MS) this.#delayMs = FIRST_DELAY_MS;
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(2 * delayMs, MOST_DELAY_MS);
    const fields = { worker: this.number, cause, restart_in_ms: delayMs };
    this.#log({ level: "error", event: "worker-died", fields });
    this.#restart = setTimeout(() => {
      this.#restarts += 1;
      this.#fork(
        () => this.#log({ level: "info", event: "worker-started", fields: { worker: this.number } }),
        (error) => this.#log({ level: "error", event: "worker-failed", text: error.message, fields }),
      );
    }, delayMs);
  }
}

export function readyCount(slots: readonly WorkerSlot[]): number {
  return slots.filter(({ isReady }) => isReady).length;
}
