import { memoryStore } from "tollgate";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { WorkerProcess } from "./workerd.ts";

describe("the store contract holds in a Worker, for objects in workerd", () => {
  let worker: WorkerProcess;
  beforeAll(async () => {
    worker = await WorkerProcess.start();
  });
  afterAll(() => worker?.end());

  it.each(storeContract({ createStore: () => memoryStore() }))("$name", async ({ name }) => {
    await worker.ask("contract", { name });
  });
});
