import { storeContract } from "tollgate/testing";
import { afterAll, describe, it } from "vitest";
import { PrimaryProcess } from "./primary-process.ts";

describe("the store contract holds over a channel with json messages, for a memory store of the primary", () => {
  const primary = new PrimaryProcess("json");
  afterAll(() => primary.end());
  const createStore = async () => primary.store(await primary.serve("memory", { maxKeys: 20_000 }));

  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});
