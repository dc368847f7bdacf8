import { medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ratioAt, type Target, target } from "../harness/targets.ts";
import { generatorName } from "../http/generator.ts";
import { type Answerer, type Asker, FULL, measureChecks, QUICK } from "./measure.ts";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly answerer: Answerer;
}

const ROWS: readonly Row[] = [
  { id: "bare", title: "a bare server that decides nothing", answerer: "bare" },
  { id: "service", title: "the service", answerer: "service" },
];

const ASKERS: Readonly<Record<Asker, string>> = {
  directly: "`/check`, asked directly",
  nginx: "`/check/403`, asked by nginx for each request",
};

const milliseconds = (value: number): string => value.toFixed(2);
const bareOf = (row: string): readonly string[] => (row === "bare" ? [] : ["bare"]);

const COLUMNS = [
  textColumn("answers checks", (id) => ROWS.find((row) => row.id === id)?.title ?? id),
  medianColumn("requests/s", "requestsPerSecond"),
  rangeColumn("requestsPerSecond"),
  timesColumn("× bare", "requestsPerSecond", bareOf, 3),
  medianColumn("p50 ms", "p50Ms", milliseconds),
  medianColumn("p99 ms", "p99Ms", milliseconds),
  medianColumn("µs each", "cpuUsPerRequest"),
  timesColumn("× bare", "requestsPerCpuSecond", bareOf, 3),
];

const TABLES = (Object.keys(ASKERS) as Asker[]).map((asker): Table => {
  return { id: asker, title: ASKERS[asker], rows: ROWS.map(({ id }) => id), columns: COLUMNS };
});

const TARGETS: readonly Target[] = [
  {
    ...target(
      "`/check`, asked directly, over a bare server",
      "≥ 0.85",
      "directly / service / requestsPerSecond",
      "directly / bare / requestsPerSecond",
    ),
    byProcessor: ratioAt("directly / service / requestsPerCpuSecond", "directly / bare / requestsPerCpuSecond"),
  },
];

export const BENCH: Bench = {
  name: "bench-service",
  packages: ["tollgate"],
  method: "by round",
  sections: { results: TABLES },
  targets: TARGETS,
  async open(quick) {
    const plan = quick ? QUICK : FULL;
    const { connections, seconds, warmUpSeconds } = plan;
    const load = `${await generatorName()}, ${connections} connections, ${seconds} s after ${warmUpSeconds} s of warm-up`;
    const tasks = TABLES.flatMap(({ id }) =>
      ROWS.map(
        ({ id: row, answerer }): Task => ({
          name: `${id}, ${row}`,
          group: id,
          async measure() {
            return [{ table: id, row, figures: await measureChecks(id as Asker, answerer, plan) }];
          },
        }),
      ),
    );
    return { tasks, setting: { load } };
  },
};
