import type { LatentThroughput, Load } from "./load.ts";
import { generate } from "./load.ts";
import type { ServerProcess } from "./processes.ts";

export interface Plan {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** How long a stream is under which limits change. */
  readonly streamSeconds: number;
  /** How often a process is started. */
  readonly starts: number;
}

export const FULL: Plan = { connections: 64, warmUpSeconds: 2, seconds: 2, streamSeconds: 12, starts: 10 };
export const QUICK: Plan = { connections: 64, warmUpSeconds: 1, seconds: 1, streamSeconds: 5, starts: 3 };

export type Figures = LatentThroughput & {
  readonly requestsPerSecond: number;
  /** Processor time of all threads of the process that answers. */
  readonly cpuUsPerRequest: number;
  readonly requestsPerCpuSecond: number;
};

/** What `server` needs for a load, after it has become fast. */
export async function measureLoad(server: ServerProcess, load: Load, plan: Plan): Promise<Figures> {
  const { connections, seconds, warmUpSeconds } = plan;
  await generate(load, { connections, seconds: warmUpSeconds });
  const before = await server.cpuUs();
  const measured = await generate(load, { connections, seconds });
  return figuresOf(measured, (await server.cpuUs()) - before);
}

export function figuresOf(measured: LatentThroughput, cpuUs: number): Figures {
  const { requests, seconds } = measured;
  return {
    ...measured,
    requestsPerSecond: requests / seconds,
    cpuUsPerRequest: cpuUs / requests,
    requestsPerCpuSecond: (requests * 1_000_000) / cpuUs,
  };
}

/** Servers that end together, the last one first. */
export class Started {
  readonly #servers: ServerProcess[] = [];

  async add(starting: Promise<ServerProcess>): Promise<ServerProcess> {
    const server = await starting;
    this.#servers.push(server);
    return server;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.toReversed()) await server.stop();
  }
}
