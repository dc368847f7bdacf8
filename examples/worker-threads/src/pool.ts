import { Worker } from "node:worker_threads";
import type { SharedStore } from "tollgate/shared";
import type { Done, Job } from "./job.js";

/** Worker threads that take jobs in turn. */
export class Pool {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, (done: Done) => void>();
  #nextId = 0;

  constructor(threads: number, store: SharedStore) {
    const workerData = { limits: store.handle };
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData });
      worker.on("message", (done: Done) => {
        this.#waiting.get(done.id)?.(done);
        this.#waiting.delete(done.id);
      });
      return worker;
    });
  }

  run(client: string, frames: number): Promise<Done> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#workers[id % this.#workers.length]?.postMessage({ id, client, frames } satisfies Job);
    });
  }
}
