import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { SharedStore, SharedStoreHandle, SharedStoreOptions } from "tollgate/shared";
import { DIST, type LimitOf, NAME, STOPPED_MS, sharedStore } from "./library.ts";

const ENTRY = new URL("jobs/worker.mjs", import.meta.url);

/** The job of a worker: see jobs/worker.mjs. */
export interface Job {
  /** A file in jobs/. */
  readonly job: string;
  /** The function of the file that gets the parameters; by default `run`. */
  readonly call?: string;
  readonly limits?: readonly LimitOf[];
  /** Removes WebAssembly, so that the library swaps by BigInt64Array. */
  readonly webAssembly?: "none";
  readonly parameters?: object;
}

export interface Member {
  readonly worker: Worker;
  /** The result of the job. */
  readonly result: Promise<unknown>;
}

/** Starts a worker, and returns when that waits at the gate. */
export async function enlist(
  handle: SharedStoreHandle | undefined,
  index: number,
  gate: Gate,
  job: Job,
): Promise<Member> {
  const { parameters, ...others } = job;
  const data = {
    ...others,
    parameters: { ...parameters, index },
    name: NAME,
    clockMs: STOPPED_MS,
    dist: DIST,
    handle,
    gate: gate.words,
  };
  const worker = new Worker(ENTRY, { workerData: data });
  // Keeps both messages: they come in one turn of the event loop if the worker has ended before this thread reads them.
  const messages: AsyncIterator<unknown[]> = on(worker, "message");
  await messages.next();
  const result = messages.next().then(({ value: [message] }) => message as unknown);
  // A caller that does not wait for the result need not catch its error.
  result.catch(() => {});
  return { worker, result };
}

/** Workers wait at the gate until it opens. */
export class Gate {
  readonly words: Int32Array = new Int32Array(new SharedArrayBuffer(4));

  open(): void {
    Atomics.store(this.words, 0, 1);
    Atomics.notify(this.words, 0);
  }
}

/** Runs one worker for each job, all at the same time, and returns their results. */
export async function together<Result>(store: SharedStore, jobs: readonly Job[]): Promise<Result[]> {
  const gate = new Gate();
  const users = await Promise.all(jobs.map((job, index) => enlist(store.handle, index, gate, job)));
  gate.open();
  const results = await Promise.all(users.map(({ result }) => result));
  await Promise.all(users.map(({ worker }) => worker.terminate()));
  return results as Result[];
}

export type Swaps = "WebAssembly" | "BigInt64Array";

/** A store whose memory is WebAssembly memory or not. */
export async function storeWith(swaps: Swaps, options: SharedStoreOptions): Promise<SharedStore> {
  if (swaps === "WebAssembly") return sharedStore(options);
  const gate = new Gate();
  gate.open();
  const job: Job = { job: "store.mjs", call: "makeStore", webAssembly: "none", parameters: { options } };
  const { worker, result } = await enlist(undefined, 0, gate, job);
  const store = sharedStore.attach((await result) as SharedStoreHandle);
  await worker.terminate();
  return store;
}
