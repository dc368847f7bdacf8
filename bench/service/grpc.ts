import { runChild } from "../harness/child-process.ts";
import type { Task } from "../harness/rounds.ts";
import { ratioAt, target } from "../harness/targets.ts";
import type { GrpcLoad } from "./grpc-load.ts";
import { ENVOY_RULE, withFiles } from "./limits-files.ts";
import type { LatentThroughput } from "./load.ts";
import { type Figures, figuresOf, type Plan, Started } from "./measure.ts";
import { loadColumns, type Part } from "./part.ts";
import { type ServerProcess, startBare, startGrpcLimits } from "./processes.ts";

const DESCRIPTORS = [1, 2, 10] as const;

const TITLES = Object.fromEntries(
  DESCRIPTORS.flatMap((count) => [
    [`bare ${count}`, `a bare grpc-js server, ${count === 1 ? "one descriptor" : `${count} descriptors`}`],
    [`service ${count}`, `the service, ${count === 1 ? "one descriptor" : `${count} descriptors`}`],
  ]),
);

/** Envoy's `ShouldRateLimit`. */
export const GRPC: Part = {
  tables: [
    {
      id: "grpc",
      title: "`ShouldRateLimit` over gRPC",
      rows: Object.keys(TITLES),
      columns: loadColumns("answers", TITLES, (row) => row.replace("service", "bare")),
    },
  ],
  targets: DESCRIPTORS.map((count) => ({
    ...target(
      `gRPC with ${count} descriptor${count === 1 ? "" : "s"}, processor time over a bare server`,
      "≤ 1.25",
      `grpc / service ${count} / cpuUsPerRequest`,
      `grpc / bare ${count} / cpuUsPerRequest`,
    ),
    byProcessor: ratioAt(`grpc / service ${count} / cpuUsPerRequest`, `grpc / bare ${count} / cpuUsPerRequest`),
  })),
  tasks: (plan) =>
    DESCRIPTORS.flatMap((count) =>
      ["bare", "service"].map((answerer): Task => {
        const row = `${answerer} ${count}`;
        const measure = async () => [{ table: "grpc", row, figures: await measureCalls(answerer, count, plan) }];
        return { name: `grpc, ${row}`, group: `grpc ${count}`, measure };
      }),
    ),
};

function measureCalls(answerer: string, descriptors: number, plan: Plan): Promise<Figures> {
  if (answerer === "bare") return loaded(startBare("grpc"), descriptors, plan);
  return withFiles([ENVOY_RULE], (limits) => loaded(startGrpcLimits(limits), descriptors, plan));
}

async function loaded(starting: Promise<ServerProcess>, descriptors: number, plan: Plan): Promise<Figures> {
  const started = new Started();
  try {
    const server = await started.add(starting);
    const generate = (seconds: number) => {
      const load: GrpcLoad = { port: server.port, descriptors, calls: plan.connections, seconds };
      return runChild<LatentThroughput>("grpc load", load, { flags: [], timeoutMs: 60_000 });
    };
    await generate(plan.warmUpSeconds);
    const before = await server.cpuUs();
    const measured = await generate(plan.seconds);
    return figuresOf(measured, (await server.cpuUs()) - before);
  } finally {
    await started.stop();
  }
}
