import { describe, it } from "vitest";
import { IN_PROCESS, playTraces } from "./change-traces.ts";

describe.each(IN_PROCESS)("random calls through versions of a limiter over %s", (_name, createStore) => {
  it("decide as the model does", () => {
    playTraces(createStore, 100_000);
  });
});
