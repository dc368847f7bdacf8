import { memoryStore } from "tollgate";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startWorker, type WorkerProcess } from "./start-worker.ts";

/** Runs a part of the store contract in a Worker, for objects in workerd. */
export function testContract(part: string, isIncluded: (name: string) => boolean): void {
  describe(`the store contract holds in a Worker: ${part}`, () => {
    let worker: WorkerProcess;
    beforeAll(async () => {
      worker = await startWorker();
    });
    afterAll(() => worker?.end());

    const cases = storeContract({ createStore: () => memoryStore() }).filter(({ name }) => isIncluded(name));
    it.each(cases)("$name", async ({ name }) => {
      await worker.ask("contract", { name });
    });
  });
}
