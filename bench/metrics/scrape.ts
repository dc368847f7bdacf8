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
  const scrapes: Awaited<ReturnType<typeof scrapeOnce>>[] = [];
  for (let scrape = 0; scrape < WARM_UP + SCRAPES; scrape += 1) scrapes.push(await scrapeOnce(registry));
  const figures = ["ms", "cpuMs", "blockedMs", "blockedCpuMs"] as const;
  const measured = scrapes.slice(WARM_UP);
  for (const { text } of measured) expectCount("metrics of keys", text.match(/^rate_limit_keys\{/gm)?.length ?? 0, 1);
  const middle = (figure: (typeof figures)[number]) =>
    measured.map((scrape) => scrape[figure]).toSorted((one, other) => one - other)[SCRAPES >> 1]!;
  return [{ table: "scrape", row, figures: Object.fromEntries(figures.map((figure) => [figure, middle(figure)])) }];
}

/**
 * A callback in each turn of the event loop measures for how long the turn before kept it waiting. By processor time,
 * too: while other work has the processor, a turn takes longer.
 */
async function scrapeOnce(registry: Registry) {
  const longest = { ms: 0, cpuMs: 0 };
  let isOver = false;
  const begun = { ms: performance.now(), cpuMs: processorMs() };
  let last = begun;
  const note = (): void => {
    const now = { ms: performance.now(), cpuMs: processorMs() };
    longest.ms = Math.max(longest.ms, now.ms - last.ms);
    longest.cpuMs = Math.max(longest.cpuMs, now.cpuMs - last.cpuMs);
    last = now;
  };
  const turn = (): void => {
    note();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const text = await registry.metrics();
  isOver = true;
  note();
  return {
    ms: last.ms - begun.ms,
    cpuMs: last.cpuMs - begun.cpuMs,
    blockedMs: longest.ms,
    blockedCpuMs: longest.cpuMs,
    text,
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
