import type { Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import { ratioAt, target } from "../harness/targets.ts";
import { generate } from "./load.ts";
import { figuresOf, type Plan, Started } from "./measure.ts";
import { BARE, loadColumns, type Part } from "./part.ts";
import { startBare, startNginx, startService } from "./processes.ts";

const ROWS = { bare: BARE, service: "the service" } as const;
type Row = keyof typeof ROWS;

/** What asks: the load itself, or nginx for each request of the load. */
const ASKERS = {
  directly: "`/check`, asked directly",
  nginx: "`/check/403`, asked by nginx for each request",
} as const;
type Asker = keyof typeof ASKERS;

/** What a proxy forwards of a usual request. A proxy in front of the service replaces these. */
const FORWARDED: Readonly<Record<string, string>> = {
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Uri": "/orders/17?full=1",
  "X-Forwarded-Host": "shop.example",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-For": "192.0.2.7",
};

export const CHECKS: Part = {
  tables: (Object.keys(ASKERS) as Asker[]).map(
    (asker): Table => ({
      id: asker,
      title: ASKERS[asker],
      rows: Object.keys(ROWS),
      columns: loadColumns("answers checks", ROWS, () => "bare"),
    }),
  ),
  targets: [
    {
      ...target(
        "`/check`, asked directly, over a bare server",
        "≥ 0.85",
        "directly / service / requestsPerSecond",
        "directly / bare / requestsPerSecond",
      ),
      byProcessor: ratioAt("directly / service / requestsPerCpuSecond", "directly / bare / requestsPerCpuSecond"),
    },
  ],
  tasks: (plan) =>
    (Object.keys(ASKERS) as Asker[]).flatMap((asker) =>
      (Object.keys(ROWS) as Row[]).map(
        (row): Task => ({
          name: `${asker}, ${row}`,
          group: asker,
          measure: async () => [{ table: asker, row, figures: await measureChecks(asker, row, plan) }],
        }),
      ),
    ),
};

async function measureChecks(asker: Asker, row: Row, plan: Plan) {
  const started = new Started();
  try {
    const limiter = await started.add(row === "service" ? startService() : startBare("check"));
    const front =
      asker === "directly"
        ? limiter
        : await started.add(startNginx(limiter.port, (await started.add(startBare("check"))).port));
    const loadOf = (port: number) => ({ url: `http://127.0.0.1:${port}/check`, headers: FORWARDED });
    // nginx passes on fewer checks than the row's process needs to become fast.
    for (const { port } of new Set([limiter, front])) {
      await generate(loadOf(port), { connections: plan.connections, seconds: plan.warmUpSeconds });
    }
    const before = await limiter.cpuUs();
    const measured = await generate(loadOf(front.port), plan);
    const cpuUs = (await limiter.cpuUs()) - before;
    await expectLimited(loadOf(front.port).url);
    return figuresOf(measured, cpuUs);
  } finally {
    await started.stop();
  }
}

/** @throws Error unless the answer has what a limiter says. */
async function expectLimited(url: string): Promise<void> {
  const { status, headers } = await fetch(url);
  const limit = headers.get("ratelimit") ?? "none";
  if (status !== 200 || !limit.includes(";r=")) throw new Error(`expected 200 with RateLimit, got ${status}, ${limit}`);
}
