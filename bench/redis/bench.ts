import { runChild, STEADY_HEAP } from "../harness/child-process.ts";
import {
  type Column,
  medianColumn,
  numberText,
  rangeColumn,
  type Table,
  textColumn,
  timesColumn,
} from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ratioAt, type Target, target } from "../harness/targets.ts";
import { LONE, type LoneOrder } from "./lone.ts";
import { FULL, type Plan, QUICK, type VariantOrder } from "./measure.ts";
import { startRedis } from "./server.ts";
import { ENTRIES, VARIANTS } from "./variants.ts";

const CHILD_OPTIONS = { flags: [STEADY_HEAP], timeoutMs: 60_000 };

/** Variants with the same workload are compared. */
export function tasksOf(plan: Plan, port: number): Task[] {
  const measureLone = () => runChild<Measured[]>("redis lone", { port, plan } satisfies LoneOrder, CHILD_OPTIONS);
  const tasks = VARIANTS.map(({ id, entry, workload }): Task => {
    const order: VariantOrder = { id, port, plan };
    return {
      name: `${workload}, ${entry.name}`,
      group: workload,
      check: () => runChild<Measured[]>("redis check", order, CHILD_OPTIONS),
      measure: () => runChild<Measured[]>("redis", order, CHILD_OPTIONS),
    };
  });
  return [...tasks, { name: "one call at a time", group: "lone", measure: measureLone }];
}

const CONTENDERS: Table = {
  id: "contenders",
  rows: ENTRIES.map(({ id }) => id),
  columns: [
    textColumn("who", (id) => entryOf(id)?.name ?? id),
    textColumn("keys", (id) => entryOf(id)?.workloads.join(", ") ?? ""),
    medianColumn("bytes a key", "bytes", (bytes) => bytes.toFixed(0)),
  ],
};

function entryOf(id: string) {
  return ENTRIES.find((entry) => entry.id === id);
}

const RATE = "decisionsPerSecond";
const WHO = textColumn("who", (id) => VARIANTS.find((one) => one.id === id)?.entry.name ?? id);
const P50 = medianColumn("p50 ms", "p50Ms", msText);
const CLIENT = medianColumn("client µs", "clientUs", twoDigits);
const COLUMNS: readonly Column[] = [
  textColumn("keys", (id) => VARIANTS.find((one) => one.id === id)?.workload ?? id),
  WHO,
  medianColumn("decisions/s", RATE),
  rangeColumn(RATE),
  timesColumn("× INCR", RATE, (row) => sameWorkload(row, "INCR")),
  timesColumn("× rate-limiter-flexible", RATE, (row) => sameWorkload(row, "rate-limiter-flexible")),
  P50,
  medianColumn("p99 ms", "p99Ms", msText),
  rangeColumn("p99Ms", msText),
  CLIENT,
  medianColumn("command µs", "commandUs", twoDigits),
  medianColumn("server µs", "serverUs", twoDigits),
  medianColumn("per command", "commandsPerDecision", (commands) => (commands === 0 ? "" : numberText(1 / commands))),
];

const TABLES = FULL.inFlight.map((inFlight): Table => {
  const rows = VARIANTS.map(({ id }) => id);
  return { id: String(inFlight), title: `${inFlight} in flight`, rows, columns: COLUMNS };
});

const LONE_TITLE = "one call at a time, in turn in one process";
const LONE_CALLS: Table = { id: "lone", title: LONE_TITLE, rows: LONE, columns: [WHO, CLIENT, P50] };

/** Denials from a cache take less than a thousandth of a millisecond. */
function msText(ms: number): string {
  return ms.toFixed(ms < 0.1 ? 4 : 2);
}

function twoDigits(value: number): string {
  return value.toFixed(2);
}

/** The other row of this name with the same workload. */
function sameWorkload(row: string, name: string): readonly string[] {
  const workload = VARIANTS.find(({ id }) => id === row)?.workload;
  return VARIANTS.flatMap((one) =>
    one.entry.name === name && one.workload === workload && one.id !== row ? [one.id] : [],
  );
}

const PIPELINED = "rate-limiter-flexible, auto-pipelined, distinct keys";
const P99 = "p99 over that of";

const TARGETS: readonly Target[] = [
  perSecond("decisions a second over INCR, distinct keys", "≥ 1", "batched", "incr"),
  perSecond("decisions a second over rate-limiter-flexible, distinct keys", "≥ 2.5", "batched", "flexible"),
  perSecond(`decisions a second over ${PIPELINED}`, "≥ 2.5", "batched", "flexible-pipelined"),
  perSecond("decisions a second over INCR, one hot key", "≥ 5", "batched-hot", "incr-hot"),
  perSecond("decisions a second, three limits over one, distinct keys", "≥ 0.6", "three-limits", "batched"),
  target(`${P99} ${PIPELINED}`, "≤ 0.5", "512 / batched / p99Ms", "512 / flexible-pipelined / p99Ms"),
  target(`${P99} rate-limiter-flexible, distinct keys`, "< 1", "512 / batched / p99Ms", "512 / flexible / p99Ms"),
  ...["batched", "consume"].flatMap((row) => {
    const lone = `a lone check${row === "consume" ? ", decisions" : ""}, over rate-limiter-flexible:`;
    return [
      target(`${lone} client time`, "≤ 1", `lone / ${row} / clientUs`, "lone / flexible / clientUs"),
      target(`${lone} p50`, "≤ 1", `lone / ${row} / p50Ms`, "lone / flexible / p50Ms"),
    ];
  }),
  target("bytes of one token bucket, user key of 16 characters", "≤ 128 bytes", "contenders / batched / bytes"),
];

/** With 512 calls in flight. */
function perSecond(text: string, aim: string, ours: string, theirs: string): Target {
  const pathOf = (row: string, unit: string) => `512 / ${row} / decisionsPer${unit}`;
  const compared = target(text, aim, pathOf(ours, "Second"), pathOf(theirs, "Second"));
  return { ...compared, byProcessor: ratioAt(pathOf(ours, "CpuSecond"), pathOf(theirs, "CpuSecond")) };
}

export const BENCH: Bench = {
  name: "bench-redis",
  packages: ["tollgate", "ioredis", "rate-limiter-flexible", "rate-limit-redis"],
  method: "by round",
  sections: { contenders: [CONTENDERS], results: [LONE_CALLS, ...TABLES] },
  targets: TARGETS,
  async open(quick) {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
    const server = await startRedis();
    const plan = quick ? QUICK : FULL;
    const measurement = `${plan.ms} ms after ${plan.warmUpMs} ms of warm-up`;
    return {
      tasks: tasksOf(plan, server.port),
      setting: { server: `${server.version} on the same machine, over loopback`, measurement },
      close: () => server.stop(),
    };
  },
};
