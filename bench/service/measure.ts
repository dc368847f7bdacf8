import { generateChecks } from "./load.ts";
import { type ServerProcess, startBare, startNginx, startService } from "./processes.ts";

export type CheckPlan = { readonly connections: number; readonly warmUpSeconds: number; readonly seconds: number };

export const FULL: CheckPlan = { connections: 64, warmUpSeconds: 2, seconds: 2 };
export const QUICK: CheckPlan = { connections: 64, warmUpSeconds: 1, seconds: 1 };

/** What answers checks: the service, or a server that decides nothing. */
export type Answerer = "service" | "bare";

/** What asks: the load itself, or nginx for each request of the load. */
export type Asker = "directly" | "nginx";

export async function measureChecks(asker: Asker, answerer: Answerer, plan: CheckPlan) {
  const started: ServerProcess[] = [];
  const start = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const limiter = await start(answerer === "service" ? startService() : startBare());
    const front =
      asker === "directly" ? limiter : await start(startNginx(limiter.port, (await start(startBare())).port));
    const url = `http://127.0.0.1:${front.port}/check`;
    // nginx passes on fewer checks than the row's process needs to become fast.
    for (const { port } of new Set([limiter, front])) {
      const seconds = plan.warmUpSeconds;
      await generateChecks({ url: `http://127.0.0.1:${port}/check`, connections: plan.connections, seconds });
    }
    const before = await limiter.cpuUs();
    const { requests, seconds, p50Ms, p99Ms } = await generateChecks({ url, ...plan });
    const cpuUs = (await limiter.cpuUs()) - before;
    await expectLimited(url);
    return {
      requestsPerSecond: requests / seconds,
      cpuUsPerRequest: cpuUs / requests,
      requestsPerCpuSecond: (requests * 1_000_000) / cpuUs,
      p50Ms,
      p99Ms,
    };
  } finally {
    for (const server of started.toReversed()) await server.stop();
  }
}

/** @throws Error unless the answer has what a limiter says. */
async function expectLimited(url: string): Promise<void> {
  const { status, headers } = await fetch(url);
  const limit = headers.get("ratelimit") ?? "none";
  if (status !== 200 || !limit.includes(";r=")) throw new Error(`expected 200 with RateLimit, got ${status}, ${limit}`);
}
