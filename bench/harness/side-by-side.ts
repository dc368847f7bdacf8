import type { Figures } from "./figures.ts";
import { shuffled } from "./keys.ts";
import type { Task } from "./rounds.ts";
import type { OpenBench } from "./run-bench.ts";
import type { ServerProcess } from "./server-process.ts";
import { generate, loadText, type Requests } from "./wrk.ts";

/** A server that is compared with others, and what it is asked. */
export interface Contender {
  start(): Promise<ServerProcess>;
  requests(port: number): Requests;
  /** @throws Error when the server answers wrongly. */
  check?(port: number): Promise<void>;
}

/** The rounds of a bench that compares servers: the ratios of two rows differ by a tenth from second to second. */
export const TURNS = 15;
const WARM_UP_SECONDS = 2;
const SECONDS = 1;

/**
 * The rows of a table as servers that run side by side and are loaded in turn, a second each in every round. Servers
 * that are loaded minutes apart differ by more than what is compared, because the speed of shared machines drifts.
 */
export class SideBySide {
  readonly task: Task;
  readonly #contenders: readonly (readonly [row: string, contender: Contender])[];
  readonly #servers = new Map<string, ServerProcess>();
  #round = 0;

  /** `base` is the row with which the others are compared. */
  constructor(table: string, base: string, contenders: Readonly<Record<string, Contender>>) {
    this.#contenders = Object.entries(contenders);
    const measure = async () => compared(base, await this.#measure());
    this.task = { table, rows: Object.keys(contenders), measure };
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await server.stop();
  }

  async #measure(): Promise<Record<string, Figures>> {
    this.#round += 1;
    const figures: Record<string, Figures> = {};
    for (const [row, contender] of shuffled(this.#contenders, this.#round)) {
      const server = this.#servers.get(row) ?? (await this.#start(row, contender));
      figures[row] = await measureLoad(server, contender.requests(server.port));
      await contender.check?.(server.port);
    }
    return figures;
  }

  async #start(row: string, contender: Contender): Promise<ServerProcess> {
    const server = await contender.start();
    this.#servers.set(row, server);
    await generate(contender.requests(server.port), WARM_UP_SECONDS);
    return server;
  }
}

export async function openSideBySide(groups: readonly SideBySide[], others: readonly Task[] = []): Promise<OpenBench> {
  const load = `${await loadText()}, ${SECONDS} s for each server in turn, after ${WARM_UP_SECONDS} s of warm-up`;
  const close = async () => {
    for (const group of groups) await group.close();
  };
  return { tasks: [...groups.map(({ task }) => task), ...others], setting: { load }, close };
}

/** What `server` needs for a load: requests a second, and processor time. */
async function measureLoad(server: ServerProcess, asked: Requests): Promise<Figures> {
  const before = await server.cpuUs();
  const { requests, seconds, p50Ms, p99Ms } = await generate(asked, SECONDS);
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

/** Adds how a row compares with the base in the same round: by requests a second, and by processor time. */
function compared(base: string, figures: Readonly<Record<string, Figures>>): Record<string, Figures> {
  const { perSecond = 0, cpuUs = 0 } = figures[base] ?? {};
  return Object.fromEntries(
    Object.entries(figures).map(([row, own]) => {
      return [row, { ...own, timesPerSecond: own["perSecond"]! / perSecond, timesCpu: cpuUs / own["cpuUs"]! }];
    }),
  );
}
