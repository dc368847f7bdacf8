import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { SharedStore, SharedStoreHandle, SharedStoreOptions } from "tollgate/shared";
import { DIST, type LimitOf, NAME, STANDING_MS, sharedStore } from "./library.ts";

const ENTRY = new URL("jobs/worker.mjs", import.meta.url);

/** What a worker does: see jobs/worker.mjs. */
export interface Job {
  /** A file in jobs/, whose `run` is called with the parameters. */
  readonly job: string;
  readonly limits?: readonly LimitOf[];
  /** By default the one that stands still. */
  readonly clock?: "standing" | "store";
  /** Without it the library swaps by BigInt64Array. */
  readonly webAssembly?: "none";
  /** By how much the wall's time was corrected before the worker began. */
  readonly correctedMs?: number;
  readonly parameters?: object;
}

export interface Member {
  readonly worker: Worker;
  /** What `run` returns. */
  readonly result: Promise<unknown>;
}

/** Starts a worker, which waits at the gate when it is ready. */
export async function enlist(
  handle: SharedStoreHandle | undefined,
  index: number,
  gate: Gate,
  job: Job,
): Promise<Member> {
  const { parameters, ...others } = job;
  const clockMs = job.clock === "store" ? undefined : STANDING_MS;
  const data = {
    ...others,
    parameters: { ...parameters, index },
    name: NAME,
    clockMs,
    dist: DIST,
    handle,
    gate: gate.words,
  };
  const worker = new Worker(ENTRY, { workerData: data });
  await once(worker, "message");
  const result = once(worker, "message").then(([message]: unknown[]) => message);
  // Whoever does not wait for it does not have to catch what it fails by.
  result.catch(() => {});
  return { worker, result };
}

/** Keeps workers waiting until all are there. */
export class Gate {
  readonly words: Int32Array = new Int32Array(new SharedArrayBuffer(4));

  open(): void {
    Atomics.store(this.words, 0, 1);
    Atomics.notify(this.words, 0);
  }
}

/** So many workers do a job at the same time: what each of them returns. */
export async function together<Result>(store: SharedStore, jobs: readonly Job[]): Promise<Result[]> {
  const gate = new Gate();
  const users = await Promise.all(jobs.map((job, index) => enlist(store.handle, index, gate, job)));
  gate.open();
  const results = await Promise.all(users.map(({ result }) => result));
  await Promise.all(users.map(({ worker }) => worker.terminate()));
  return results as Result[];
}

export type Swaps = "WebAssembly" | "BigInt64Array";

/** A store of this thread, whose memory is WebAssembly's or not. */
export async function storeWith(swaps: Swaps, options: SharedStoreOptions): Promise<SharedStore> {
  if (swaps === "WebAssembly") return sharedStore(options);
  const gate = new Gate();
  gate.open();
  const job: Job = { job: "make-store.mjs", webAssembly: "none", parameters: { options } };
  const { worker, result } = await enlist(undefined, 0, gate, job);
  const store = sharedStore.attach((await result) as SharedStoreHandle);
  await worker.terminate();
  return store;
}
