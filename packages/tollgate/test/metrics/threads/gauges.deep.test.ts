import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Registry } from "prom-client";
import { createLimiter, fixedWindow } from "tollgate";
import { instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";
import { expect, it, onTestFinished, vi } from "vitest";
import { linesOf } from "../scrape.ts";

const PATIENCE = { timeout: 30_000, interval: 100 };

it("one scrape has the calls that wait and the places that are held in all threads, while these live", async () => {
  const store = sharedStore({ maxKeys: 1_000 });
  const registry = new Registry();
  instrument(store, { registry });
  const workers = [1, 2, 3].map((index) => {
    const url = new URL("waiting-worker.mjs", import.meta.url);
    return new Worker(url, { workerData: { handle: store.handle, index } });
  });
  onTestFinished(async () => {
    for (const worker of workers) await worker.terminate();
  });
  await Promise.all(workers.map((worker) => once(worker, "message")));
  const waiting = (count: number) => [`rate_limit_waiting{limiter="calls"} ${count}`];
  const places = (count: number) => [`rate_limit_places_in_use{limiter="streams",limit="open"} ${count}`];
  const shows = async (threads: number): Promise<void> => {
    expect(await linesOf(registry, "rate_limit_waiting")).toEqual(waiting(3 * threads));
    expect(await linesOf(registry, "rate_limit_places_in_use")).toEqual(places(2 * threads));
  };
  await vi.waitFor(() => shows(3), PATIENCE);

  // The calls of one thread end, and another thread dies with its own.
  workers[0]?.postMessage("stop");
  await vi.waitFor(() => shows(2), PATIENCE);
  await workers[1]?.terminate();
  await vi.waitFor(() => shows(1), PATIENCE);
});

it("a thread that scrapes has its own calls as of now, once", async () => {
  const store = sharedStore({ maxKeys: 1_000 });
  const registry = new Registry();
  const limits = [fixedWindow({ name: "daily", limit: 1, window: "1d" })];
  const limiter = createLimiter({ name: "calls", limits, store });
  const remove = instrument(limiter, { registry });
  limiter.allow("a");
  const stop = new AbortController();
  const waits = [1, 2].map(() => limiter.wait("a", 1, { signal: stop.signal }).catch(() => {}));
  expect(await linesOf(registry, "rate_limit_waiting")).toEqual(['rate_limit_waiting{limiter="calls"} 2']);
  stop.abort();
  await Promise.all(waits);
  expect(await linesOf(registry, "rate_limit_waiting")).toEqual(['rate_limit_waiting{limiter="calls"} 0']);
  instrument(store, { registry });
  remove();
  expect(await linesOf(registry, "rate_limit_waiting")).toEqual([]);
});
