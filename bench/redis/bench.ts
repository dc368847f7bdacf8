import { runChild, STEADY_HEAP } from "../harness/child-process.ts";
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

/** Denials from a cache take less than a thousandth of a millisecond. */
function msText(ms: number): string {
  return ms.toFixed(ms < 0.1 ? 4 : 2);
}

function twoDigits(value: number): string {
  return value.toFixed(2);
}

/** The row of this name with the same workload. */
function sameWorkload(row: string, name: string): string | undefined {
  const workload = VARIANTS.find(({ id }) => id === row)?.workload;
  const base = VARIANTS.find((one) => one.entry.name === name && one.workload === workload)?.id;
  return base === row ? undefined : base;
}

const RPS = ["decisionsPerSecond", "decisionsPerCpuSecond"] as const;
const [PIPELINED, HOT] = ["rate-limiter-flexible, auto-pipelined, distinct keys", "one hot key"] as const;
const P99 = "p99 over that of";

const TARGETS: readonly Target[] = [
  target("decisions a second over INCR, distinct keys", "batched", "incr", RPS, "≥", 1),
  target("decisions a second over rate-limiter-flexible, distinct keys", "batched", "flexible", RPS, "≥", 2.5),
  target(`decisions a second over ${PIPELINED}`, "batched", "flexible-pipelined", RPS, "≥", 2.5),
  target("decisions a second over INCR, one hot key", idOf("batched", HOT), idOf("incr", HOT), RPS, "≥", 5),
  target("decisions a second, three limits over one, distinct keys", "three-limits", "batched", RPS, "≥", 0.6),
  target(`${P99} ${PIPELINED}`, "batched", "flexible-pipelined", ["p99Ms"], "≤", 0.5),
  target(`${P99} rate-limiter-flexible, distinct keys`, "batched", "flexible", ["p99Ms"], "<", 1),
  {
    text: "bytes of one token bucket, user key of 16 characters",
    ratio: { of: { table: "contenders", rows: ["batched"], name: "bytes" } },
    aim: { is: "≤", value: 128, digits: 0 },
  },
];

/** With 512 calls in flight. `figures`: the compared one, and the same by processor time. */
function target(
  text: string,
  ours: string,
  theirs: string,
  figures: readonly [string, string?],
  is: Aim["is"],
  value: number,
): Target {
  const figureOf = (row: string, name: string) => ({ table: "512", rows: [row], name });
  const ratioOf = (name: string) => ({ of: figureOf(ours, name), over: figureOf(theirs, name) });
  const [name, byProcessor] = figures;
  const compared = { text, ratio: ratioOf(name), aim: { is, value, digits: 2 } };
  return byProcessor === undefined ? compared : { ...compared, byProcessor: ratioOf(byProcessor) };
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
