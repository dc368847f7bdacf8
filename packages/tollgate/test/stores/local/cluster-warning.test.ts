import { fileURLToPath } from "node:url";
import { createLimiter, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runNode } from "../../../../../test/support/run.ts";
import { forgetWarnings } from "../../../src/core/warnings.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

const limits = [perMinute(2)];

const textOf = (store: string) =>
  `tollgate: ${store} in a cluster worker: each process counts for itself, so clients get each limit once per ` +
  "process; use clusterStore or redisStore for one limit, or pass warnings: false (cluster-memory)";

/** What the processes wrote to stderr, line by line. */
async function warningsOf(scenario: string, kind: "cluster" | "fork"): Promise<string[]> {
  const { status, stderr } = await runNode(FOLDER, ["cluster-worker.mjs", scenario, kind]);
  expect(status).toBe(0);
  return stderr.split("\n").filter((line) => line !== "");
}

describe("in a cluster of two workers", () => {
  it("stores warn once in each worker, and not in the primary", async () => {
    expect(await warningsOf("stores, many times", "cluster")).toEqual([textOf("memoryStore"), textOf("memoryStore")]);
  });

  it("a store with warnings: false is silent", async () => {
    expect(await warningsOf("memoryStore, silenced", "cluster")).toEqual([]);
  });
});

describe("a process that is no cluster worker", () => {
  it("gives no warning, although it has a channel to its parent", async () => {
    expect(await warningsOf("stores, many times", "fork")).toEqual([]);
  });
});

describe("a runtime that is not Node", () => {
  beforeEach(forgetWarnings);
  afterEach(forgetWarnings);

  const send = () => true;
  it.each<[string, object | undefined, number]>([
    ["without process", undefined, 0],
    ["with the variable, but no channel", { env: { NODE_UNIQUE_ID: "1" } }, 0],
    ["with a channel and the variable, as Bun", { send, env: { NODE_UNIQUE_ID: "1" } }, 1],
    ["with a channel and a cluster module", { send, env: {}, getBuiltinModule: () => ({ isWorker: true }) }, 1],
  ])("%s is a cluster worker as far as it says so", (_name, process, warnings) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    vi.stubGlobal("process", process);
    createLimiter({ limits });
    expect(warn).toHaveBeenCalledTimes(warnings);
  });

  it.each([
    ["tableStore", () => tableStore({ maxKeys: 10 })],
    ["sharedStore", () => sharedStore({ maxKeys: 10 })],
  ])("warns of %s by its name", (name, createStore) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    vi.stubGlobal("process", { send, env: { NODE_UNIQUE_ID: "1" } });
    createLimiter({ name: "api", limits, store: createStore() });
    expect(warn.mock.calls).toEqual([[textOf(name)]]);
  });
});
