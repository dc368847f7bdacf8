import type { Plan } from "../plan.ts";
import { millionText } from "../report/million-text.ts";
import { runInNode } from "./run-in-node.ts";
import { RustProgram } from "./rust-program.ts";
import { type FinishedTask, nameOf, orderOfRound, type ThreadOutcome, type ThreadTask } from "./task.ts";

/** Does every task once in each round. One that failed or was skipped is not tried again. */
export async function runThreadRounds(
  tasks: readonly ThreadTask[],
  rounds: number,
  plan: Plan,
): Promise<FinishedTask[]> {
  const rust = new RustProgram();
  const finished: FinishedTask[] = [];
  let left = tasks;
  for (let round = 1; round <= rounds; round += 1) {
    const ended = new Set<ThreadTask>();
    for (const task of orderOfRound(left, round)) {
      const { row, threads } = task;
      const outcome = await (row.runs === "natively" ? rust.run(row, threads, plan) : runInNode(row, threads, plan));
      finished.push({ task, outcome });
      if (outcome.kind !== "measured") ended.add(task);
      console.log(`round ${round}/${rounds}  ${nameOf(task).padEnd(50)}  ${describe(outcome)}`);
    }
    left = left.filter((task) => !ended.has(task));
  }
  return finished;
}

function describe(outcome: ThreadOutcome): string {
  if (outcome.kind !== "measured") return `${outcome.kind}: ${outcome.reason}`;
  return `${millionText(outcome.perSecond)} million a second`;
}
