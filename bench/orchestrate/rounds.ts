import type { Measurements } from "../measure/measurements.ts";
import { runInNode } from "./run-in-node.ts";
import { runNatively } from "./run-natively.ts";
import { type Finished, nameOf, type Outcome, orderOfRound, type Task } from "./task.ts";

/** Does every task once in each round. One that failed or was skipped is not tried again. */
export async function runRounds(tasks: readonly Task[], rounds: number): Promise<Finished[]> {
  const finished: Finished[] = [];
  let left = tasks;
  for (let round = 1; round <= rounds; round += 1) {
    const ended = new Set<Task>();
    for (const task of orderOfRound(left, round)) {
      const outcome = await runTask(task);
      finished.push({ task, outcome });
      if (outcome.kind !== "measured") ended.add(task);
      console.log(`round ${round}/${rounds}  ${nameOf(task).padEnd(42)}  ${describe(outcome)}`);
    }
    left = left.filter((task) => !ended.has(task));
  }
  return finished;
}

function runTask({ entry, job }: Task): Promise<Outcome> {
  return entry.runs === "natively" ? runNatively(entry, job) : runInNode(entry, job);
}

function describe(outcome: Outcome): string {
  return outcome.kind === "measured" ? describeMeasured(outcome.measurements) : `${outcome.kind}: ${outcome.reason}`;
}

function describeMeasured({ ns, weight }: Measurements): string {
  const times = Object.entries(ns).map(([table, value]) => `${table} ${value.toFixed(1)} ns`);
  const weights =
    weight === undefined
      ? []
      : [
          `${weight.bytesPerKey.toFixed(1)} bytes a key`,
          `worst stall ${weight.worstStallMs.toFixed(1)} ms`,
          `collection ${weight.collectMs.toFixed(1)} ms`,
        ];
  return [...times, ...weights].join(", ");
}
