import { medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Target } from "../harness/targets.ts";
import type { Plan } from "./measure.ts";

/** One question to the service: its tables, its targets, and how they are measured. */
export interface Part {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
  readonly tasks: (plan: Plan) => readonly Task[];
}

export const BARE = "a bare server that decides nothing";

const milliseconds = (value: number): string => value.toFixed(2);

/** The columns of a load. `baseOf`: the row that a row is compared with. */
export function loadColumns(title: string, titles: Readonly<Record<string, string>>, baseOf: (row: string) => string) {
  const basesOf = (row: string): readonly string[] => (baseOf(row) === row ? [] : [baseOf(row)]);
  return [
    textColumn(title, (id) => titles[id] ?? id),
    medianColumn("requests/s", "requestsPerSecond"),
    rangeColumn("requestsPerSecond"),
    timesColumn("× base", "requestsPerSecond", basesOf, 3),
    medianColumn("p50 ms", "p50Ms", milliseconds),
    medianColumn("p99 ms", "p99Ms", milliseconds),
    medianColumn("µs each", "cpuUsPerRequest"),
    timesColumn("× base", "requestsPerCpuSecond", basesOf, 3),
  ];
}
