import { storeContract } from "tollgate/testing";
import { afterAll, describe, it } from "vitest";
import { PrimaryProcess } from "./primary-process.ts";

describe("the store contract holds over a channel with advanced messages, for a table store of the primary", () => {
  const primary = new PrimaryProcess("advanced");
  afterAll(() => primary.end());
  const createStore = async () => primary.store(await primary.serve("table", { maxKeys: 2_000 }));

  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});
