import { runChild, STEADY_HEAP } from "../harness/child-process.ts";
import type { Figure } from "../harness/figures.ts";
import { type Column, medianColumn, numberText, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import type { Aim, Target } from "../harness/targets.ts";
import { FULL, type Plan, QUICK, type VariantOrder } from "./measure.ts";
import { startRedis } from "./server.ts";
import { ENTRIES, idOf, VARIANTS } from "./variants.ts";

const CHILD_OPTIONS = { flags: [STEADY_HEAP], timeoutMs: 60_000 };

/** Variants with the same workload are compared. */
export function tasksOf(plan: Plan, port: number): Task[] {
  return VARIANTS.map(({ id, entry, workload }) => {
    const order: VariantOrder = { id, port, plan };
    return {
      name: `${workload}, ${entry.name}`,
      group: workload,
      check: () => runChild<Measured[]>("redis check", order, CHILD_OPTIONS),
      measure: () => runChild<Measured[]>("redis", order, CHILD_OPTIONS),
    };
  });
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

const COLUMNS: readonly Column[] = [
  textColumn("keys", (id) => VARIANTS.find((one) => one.id === id)?.workload ?? id),
  textColumn("who", (id) => VARIANTS.find((one) => one.id === id)?.entry.name ?? id),
  medianColumn("decisions/s", "decisionsPerSecond"),
  rangeColumn("decisionsPerSecond"),
  medianColumn("× INCR", "overIncr", twoDigits),
  medianColumn("× rate-limiter-flexible", "overFlexible", twoDigits),
  medianColumn("p50 ms", "p50Ms", msText),
  medianColumn("p99 ms", "p99Ms", msText),
  rangeColumn("p99Ms", msText),
  medianColumn("client µs", "clientUs", twoDigits),
  medianColumn("command µs", "commandUs", twoDigits),
  medianColumn("server µs", "serverUs", twoDigits),
  medianColumn("per command", "commandsPerDecision", (commands) => (commands === 0 ? "" : numberText(1 / commands))),
];

const TABLES = FULL.inFlight.map((inFlight): Table => {
  const rows = VARIANTS.map(({ id }) => id);
  return { id: String(inFlight), title: `${inFlight} in flight`, rows, columns: COLUMNS };
});

function twoDigits(value: number): string {
  return value.toFixed(2);
}

/** Denials from a cache take less than a thousandth of a millisecond. */
function msText(ms: number): string {
  return ms.toFixed(ms < 0.1 ? 4 : 2);
}

/** The row of this name with the same workload. */
function sameWorkload(row: string, name: string): string | undefined {
  const workload = VARIANTS.find(({ id }) => id === row)?.workload;
  const base = VARIANTS.find((one) => one.entry.name === name && one.workload === workload)?.id;
  return base === row ? undefined : base;
}

const TARGET_TABLE = "512";

const aim = (is: Aim["is"], value: number): Aim => ({ is, value, digits: 2 });

const TARGETS: readonly Target[] = [
  decisions("over INCR, distinct keys", "batched", "incr", 1),
  decisions("over rate-limiter-flexible, distinct keys", "batched", "flexible", 2.5),
  decisions("over rate-limiter-flexible, auto-pipelined, distinct keys", "batched", "flexible-pipelined", 2.5),
  decisions("over INCR, one hot key", idOf("batched", "one hot key"), idOf("incr", "one hot key"), 5),
  {
    ...decisions("", "three-limits", "batched", 0.6),
    text: "decisions a second, three limits over one, distinct keys",
  },
  p99("that of rate-limiter-flexible, auto-pipelined, distinct keys", "flexible-pipelined", aim("≤", 0.5)),
  p99("that of rate-limiter-flexible, distinct keys", "flexible", aim("<", 1)),
  {
    text: "bytes of one token bucket, user key of 16 characters",
    ratio: { of: { table: "contenders", rows: ["batched"], name: "bytes" } },
    aim: { is: "≤", value: 128, digits: 0 },
  },
];

function figure(row: string, name: string): Figure {
  return { table: TARGET_TABLE, rows: [row], name };
}

function decisions(text: string, ours: string, theirs: string, atLeast: number): Target {
  const ratioOf = (name: string) => ({ of: figure(ours, name), over: figure(theirs, name) });
  return {
    text: `decisions a second ${text}`,
    ratio: ratioOf("decisionsPerSecond"),
    byProcessor: ratioOf("decisionsPerCpuSecond"),
    aim: aim("≥", atLeast),
  };
}

function p99(text: string, theirs: string, to: Aim): Target {
  return {
    text: `p99 over ${text}`,
    ratio: { of: figure("batched", "p99Ms"), over: figure(theirs, "p99Ms") },
    aim: to,
  };
}

export const BENCH: Bench = {
  name: "bench-redis",
  packages: ["tollgate", "ioredis", "rate-limiter-flexible", "rate-limit-redis"],
  method: "by round",
  comparisons: [
    { name: "overIncr", of: "decisionsPerSecond", baseOf: (row) => sameWorkload(row, "INCR") },
    { name: "overFlexible", of: "decisionsPerSecond", baseOf: (row) => sameWorkload(row, "rate-limiter-flexible") },
  ],
  sections: { contenders: [CONTENDERS], results: TABLES },
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
