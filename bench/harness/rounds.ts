import { ProgramMissing, reasonOf } from "./child-process.ts";
import { shuffled } from "./keys.ts";

/** The figures of one row of one table, from one measurement. */
export interface Measured {
  readonly table: string;
  readonly row: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** The same with its round, from 1 up. The check before the first round is round 0. */
export interface Sample extends Measured {
  readonly round: number;
}

/** One variant to measure, in a process of its own. */
export interface Task {
  /** Shown in the log, and searched by `--only`. */
  readonly name: string;
  /** Tasks to be compared share a group, and run one after the other. */
  readonly group: string;
  /** Runs before the first round. @throws Error when the variant decides wrongly. */
  check?(): Promise<readonly Measured[]>;
  /** Runs once in each round. @throws ProgramMissing when this machine cannot run the task. */
  measure(): Promise<readonly Measured[]>;
}

export type Miss = { readonly kind: "failed" | "skipped"; readonly name: string; readonly reason: string };

/** Checks every task, then runs it once in each round. A task that failed or was skipped is not tried again. */
export async function runRounds(tasks: readonly Task[], rounds: number, log: (line: string) => void) {
  const samples: Sample[] = [];
  const misses = new Map<Task, Miss>();
  const attempt = async (task: Task, round: number, measure: () => Promise<readonly Measured[]>): Promise<void> => {
    const start = `round ${round}/${rounds}  ${task.name.padEnd(52)}  `;
    try {
      const measured = await measure();
      samples.push(...measured.map((one) => ({ ...one, round })));
      log(start + measured.map(describe).join("; "));
    } catch (error) {
      const kind = error instanceof ProgramMissing ? "skipped" : "failed";
      misses.set(task, { kind, name: task.name, reason: reasonOf(error) });
      log(`${start}${kind}: ${reasonOf(error)}`);
    }
  };
  for (const task of tasks) if (task.check !== undefined) await attempt(task, 0, () => task.check!());
  for (let round = 1; round <= rounds; round += 1) {
    const left = tasks.filter((task) => !misses.has(task));
    for (const task of orderOfRound(left, round)) await attempt(task, round, () => task.measure());
  }
  return { samples: samples as readonly Sample[], misses: [...misses.values()] };
}

/** The tasks group by group, in an order that differs by round: disturbances of the machine hit all alike. */
export function orderOfRound<T extends Pick<Task, "group">>(tasks: readonly T[], round: number): T[] {
  const groups = [...new Set(tasks.map(({ group }) => group))];
  return shuffled(groups, round).flatMap((group) => {
    const compared = tasks.filter((task) => task.group === group);
    return shuffled(compared, round);
  });
}

function describe({ table, figures }: Measured): string {
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`);
  return `${table}: ${texts.join(", ")}`;
}
