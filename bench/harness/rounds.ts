import { reasonOf } from "./child-process.ts";
import type { Figures, Sample } from "./figures.ts";
import { shuffled } from "./keys.ts";

/** What one process measures: some rows of one table. Tasks of the same table are compared. */
export interface Task {
  readonly table: string;
  readonly rows: readonly string[];
  /** Runs once in each round. @throws Error when a contender decides wrongly. */
  measure(): Promise<Readonly<Record<string, Figures>>>;
}

export type Failure = { readonly name: string; readonly reason: string };

export function nameOf({ table, rows }: Pick<Task, "table" | "rows">): string {
  return `${table} / ${rows.join(", ")}`;
}

/** Runs every task once in each round. A task that failed is not tried again. */
export async function runRounds(tasks: readonly Task[], rounds: number, log: (line: string) => void) {
  const samples: Sample[] = [];
  const failures = new Map<Task, Failure>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const task of orderOfRound(tasks, round)) {
      if (failures.has(task)) continue;
      const name = nameOf(task);
      try {
        for (const [row, figures] of Object.entries(await task.measure())) {
          samples.push({ table: task.table, row, round, figures });
          log(`round ${round}/${rounds}  ${`${task.table} / ${row}`.padEnd(44)}  ${textOf(figures)}`);
        }
      } catch (error) {
        failures.set(task, { name, reason: reasonOf(error) });
        log(`round ${round}/${rounds}  ${name.padEnd(44)}  failed: ${reasonOf(error)}`);
      }
    }
  }
  return { samples, failures: [...failures.values()] };
}

/** The tasks table by table, in an order that differs by round: disturbances of the machine hit all alike. */
function orderOfRound<T extends Pick<Task, "table">>(tasks: readonly T[], round: number): T[] {
  const tables = [...new Set(tasks.map(({ table }) => table))];
  return shuffled(tables, round).flatMap((table) => {
    const compared = tasks.filter((task) => task.table === table);
    return shuffled(compared, round);
  });
}

function textOf(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(", ");
}
