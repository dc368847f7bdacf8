import { type Figures, spreadOf } from "./figures.ts";
import { shuffled } from "./keys.ts";
import type { Task } from "./rounds.ts";
import type { ServerProcess } from "./server-process.ts";
import { loadText, type Throughput } from "./wrk.ts";

/** A server that is compared with others, and how it is loaded. */
export interface Contender {
  start(): Promise<ServerProcess>;
  /** Loads the server on a port. */
  load(port: number, seconds: number): Promise<Throughput>;
  /** @throws Error when the server answers wrongly. */
  check?(port: number): Promise<void>;
}

/** How often each server is loaded in a round. */
const TURNS = 4;
const WARM_UP_SECONDS = 2;
const SECONDS = 1;

/**
 * The rows of a table as servers that run side by side and are loaded in turn, a second each. Servers that are loaded
 * minutes apart differ by more than what is compared, because the speed of shared machines drifts. Each round has new
 * processes, because two of one server may differ until they end.
 */
export function compareServers(table: string, base: string, contenders: Readonly<Record<string, Contender>>): Task {
  let round = 0;
  const measure = async () => {
    round += 1;
    const rows: { readonly row: string; readonly contender: Contender; readonly server: ServerProcess }[] = [];
    try {
      for (const [row, contender] of Object.entries(contenders)) {
        const server = await contender.start();
        rows.push({ row, contender, server });
        await contender.load(server.port, WARM_UP_SECONDS);
      }
      const turns: Record<string, Figures>[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        const figures: Record<string, Figures> = {};
        for (const { row, server, contender } of shuffled(rows, TURNS * round + turn)) {
          figures[row] = await measureLoad(server, contender);
          await contender.check?.(server.port);
        }
        turns.push(compared(base, figures));
      }
      return Object.fromEntries(rows.map(({ row }) => [row, medians(turns.map((figures) => figures[row]!))]));
    } finally {
      for (const { server } of rows) await server.stop();
    }
  };
  return { table, rows: Object.keys(contenders), measure };
}

export async function loadSetting(): Promise<Readonly<Record<string, string>>> {
  return { load: await loadText() };
}

/** What `server` needs for a load: requests a second, and processor time. */
async function measureLoad(server: ServerProcess, contender: Contender): Promise<Figures> {
  const before = await server.cpuUs();
  const { requests, seconds, p50Ms, p99Ms } = await contender.load(server.port, SECONDS);
  const cpuUs = (await server.cpuUs()) - before;
  return {
    perSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuUs: cpuUs / requests,
    /** The busy part of one processor. Well below 1, the server waited for the generator or for a busy processor. */
    busy: cpuUs / (seconds * 1_000_000),
  };
}

function medians(turns: readonly Figures[]): Figures {
  const names = Object.keys(turns[0]!);
  return Object.fromEntries(names.map((name) => [name, spreadOf(turns.map((figures) => figures[name]!)).median]));
}

/** Adds how a row compares with the base in the same turn: by requests a second, and by processor time. */
function compared(base: string, figures: Readonly<Record<string, Figures>>): Record<string, Figures> {
  const { perSecond = 0, cpuUs = 0 } = figures[base] ?? {};
  return Object.fromEntries(
    Object.entries(figures).map(([row, own]) => {
      return [row, { ...own, timesPerSecond: own["perSecond"]! / perSecond, timesCpu: cpuUs / own["cpuUs"]! }];
    }),
  );
}
