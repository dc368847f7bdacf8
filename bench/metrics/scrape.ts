import { Registry } from "prom-client";
import { createLimiter, memoryStore, perMinute } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";

export const SCRAPE_ROWS = {
  memory: "the memory store",
  table: "the table store",
  shared: "the shared store",
} as const;

export type ScrapeRow = keyof typeof SCRAPE_ROWS;
export interface ScrapeOrder {
  readonly row: ScrapeRow;
  readonly keys: number;
}

const SCRAPES = 20;
/** The first scrapes run code that the engine has not compiled yet. */
const WARM_UP = 5;

/** How long scrapes of a store with many keys take, and for how long each blocks the event loop at most. */
export async function measureScrape({ row, keys }: ScrapeOrder): Promise<Measured[]> {
  const stores = {
    memory: () => memoryStore({ maxKeys: keys }),
    table: () => tableStore({ maxKeys: keys }),
    shared: () => sharedStore({ maxKeys: keys }),
  };
  const store = stores[row]();
  const limiter = createLimiter({ name: "api", limits: [perMinute(100)], store });
  const registry = new Registry();
  instrument(limiter, { registry, keyLabel: (key) => key.slice(0, 6), tokensOf: hotKeys(limiter, { sample: 1 }) });
  for (let key = 0; key < keys; key += 1) limiter.allow(`key-${key}`);
  for (let call = 0; call < 1_000; call += 1) limiter.allow(`key-${call % 5}`);
  for (let key = 0; key < 1_000; key += 1) limiter.block(`blocked-${key}`, "1h");
  const took: number[] = [];
  const blocked: number[] = [];
  for (let scrape = -WARM_UP; scrape < SCRAPES; scrape += 1) {
    const { totalMs, longestMs, text } = await scrapeOnce(registry);
    if (scrape < 0) continue;
    took.push(totalMs);
    blocked.push(longestMs);
    expectCount("metrics of keys", text.match(/^rate_limit_keys\{/gm)?.length ?? 0, 1);
  }
  const middle = (times: number[]) => times.toSorted((one, other) => one - other)[times.length >> 1]!;
  return [{ table: "scrape", row, figures: { ms: middle(took), blockedMs: middle(blocked) } }];
}

/** A callback in each turn of the event loop measures for how long the turn before kept it waiting. */
async function scrapeOnce(registry: Registry) {
  let longestMs = 0;
  let isOver = false;
  const startMs = performance.now();
  let lastMs = startMs;
  const turn = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const text = await registry.metrics();
  const endMs = performance.now();
  isOver = true;
  longestMs = Math.max(longestMs, endMs - lastMs);
  return { totalMs: endMs - startMs, longestMs, text };
}
