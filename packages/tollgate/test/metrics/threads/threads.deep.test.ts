import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Registry } from "prom-client";
import { instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";
import { expect, it } from "vitest";
import { histogramOf, linesOf } from "../scrape.ts";

const THREADS = 4;
const CALLS = 250_000;

type Counted = Readonly<Record<"allow" | "deny" | "blocked" | "near", number>>;

it("one scrape has exactly what the callers of four threads counted, also when these have ended", async () => {
  const store = sharedStore({ maxKeys: 100_000 });
  const registry = new Registry();
  instrument(store, { registry });
  const workers = Array.from({ length: THREADS }, (_, index) => {
    const workerData = { handle: store.handle, calls: CALLS, index };
    return new Worker(new URL("counting-worker.mjs", import.meta.url), { workerData });
  });
  const counted = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0] as Counted));
  const totals = { allow: 0, deny: 0, blocked: 0, near: 0 };
  for (const one of counted) for (const what of Object.keys(totals) as (keyof Counted)[]) totals[what] += one[what];
  expect(totals.allow + totals.deny + totals.blocked).toBe(THREADS * CALLS);
  const of = (result: string, value: number) =>
    `rate_limit_acquire_total{limiter="api",limit="calls",result="${result}"} ${value}`;
  const check = async () => {
    const lines = await linesOf(registry, "rate_limit_acquire_total");
    expect(lines.toSorted()).toEqual([
      of("allow", totals.allow),
      of("blocked", totals.blocked),
      of("deny", totals.deny),
    ]);
    expect(await linesOf(registry, "rate_limit_near_limit_total")).toEqual([
      `rate_limit_near_limit_total{limiter="api",limit="calls"} ${totals.near}`,
    ]);
    const { count } = await histogramOf(registry, "rate_limit_acquire_duration_seconds");
    // Six standard deviations from one in 16.
    expect(Math.abs(count - (THREADS * CALLS) / 16)).toBeLessThan(6 * Math.sqrt((THREADS * CALLS) / 16));
    expect(await linesOf(registry, "rate_limit_blocked")).toEqual([`rate_limit_blocked{store="shared"} ${THREADS}`]);
  };
  await check();
  await Promise.all(workers.map((worker) => worker.terminate()));
  await check();
});
