import cluster, { type Worker } from "node:cluster";
import type { LimitsStatus } from "../limits/limits-files.ts";
import type { Log } from "../log/log.ts";
import { lastingFamilies, mergeFamilies, type WorkerFamily } from "./merge-families.ts";
import { type FromWorker, type ToWorker, WORKER_ENV } from "./messages.ts";

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
export type PassOn = (message: Extract<FromWorker, { readonly type: "ask" | "answer" }>, from: string) => void;

/** The delays before a worker starts again: each doubles, up to a bound. */
const FIRST_DELAY_MS = 100;
const MOST_DELAY_MS = 10_000;
/** A worker that has run for so long begins again with the first delay. */
const STEADY_MS = 30_000;
/** A worker that does not answer within this time counts with its last figures. */
const COLLECT_MS = 2_000;

/** The place of one worker. A worker that dies is followed by another. */
export class WorkerSlot {
  readonly #log: Log;
  readonly #number: number;
  readonly #passOn: PassOn;
  #worker: Worker | undefined;
  #ready: Ready | undefined;
  #limits: LimitsStatus | undefined;
  #stopping = false;
  #startedMs = 0;
  #delayMs = FIRST_DELAY_MS;
  #restart: NodeJS.Timeout | undefined;
  #restarts = 0;
  #asks = 0;
  readonly #answers = new Map<number, (families: readonly WorkerFamily[]) => void>();
  #last: readonly WorkerFamily[] = [];
  /** The counters of workers that are gone. */
  #gone: readonly WorkerFamily[] = [];

  /** `passOn` gives what the worker says to another one. */
  constructor(number: number, log: Log, passOn: PassOn) {
    this.#number = number;
    this.#passOn = passOn;
    this.#log = log;
  }

  get isReady(): boolean {
    return this.#ready !== undefined;
  }

  get limits(): LimitsStatus | undefined {
    return this.#limits;
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

  async collect(): Promise<readonly WorkerFamily[]> {
    if (this.#ready !== undefined) this.#last = await this.#ask();
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
    const worker = cluster.fork({ [WORKER_ENV]: String(this.#number) });
    this.#worker = worker;
    this.#startedMs = performance.now();
    worker.on("message", (message: FromWorker) => {
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
    } else if (message.type === "status") this.#limits = message.limits;
    else if (message.type === "collected") this.#answers.get(message.id)?.(message.families);
    else this.#passOn(message, String(this.#number));
  }

  #ended(cause: string): void {
    this.#ready = undefined;
    this.#gone = mergeFamilies([lastingFamilies(this.#last), this.#gone]);
    this.#last = [];
    for (const answer of this.#answers.values()) answer([]);
    if (this.#stopping) return;
    if (performance.now() - this.#startedMs > STEADY_MS) this.#delayMs = FIRST_DELAY_MS;
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(2 * delayMs, MOST_DELAY_MS);
    const fields = { worker: this.#number, cause, restart_in_ms: delayMs };
    this.#log({ level: "error", event: "worker-died", fields });
    this.#restart = setTimeout(() => {
      this.#restarts += 1;
      this.#fork(
        () => this.#log({ level: "info", event: "worker-started", fields: { worker: this.#number } }),
        (error) => this.#log({ level: "error", event: "worker-failed", text: error.message, fields }),
      );
    }, delayMs);
  }

  #ask(): Promise<readonly WorkerFamily[]> {
    return new Promise((resolve) => {
      this.#asks += 1;
      const id = this.#asks;
      const late = setTimeout(() => answer(this.#last), COLLECT_MS);
      const answer = (families: readonly WorkerFamily[]): void => {
        clearTimeout(late);
        this.#answers.delete(id);
        resolve(families);
      };
      this.#answers.set(id, answer);
      this.tell({ type: "collect", id });
    });
  }
}
