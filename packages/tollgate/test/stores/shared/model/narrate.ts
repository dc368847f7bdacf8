import type { History } from "./linearize.ts";
import { describeCall } from "./model-call.ts";
import type { Point } from "./point.ts";
import type { Scenario } from "./scenario.ts";

/** Consecutive steps of one thread. */
export interface Turn {
  readonly thread: number;
  readonly from: Point;
  readonly to: Point;
}

/** Describes a run whose history is not allowed. */
export function describeRun(scenario: Scenario, expected: string, history: History, turns: readonly Turn[]): string {
  const calls = history.threads.flatMap(({ outcomes, returnedBefore }, thread) =>
    returnedBefore.map((digits, index) => {
      const call = describeCall(scenario.programs[thread]![index]!);
      return `  thread ${thread}: ${call} -> ${outcomes[index] ?? "died"} (began after ${digits} calls of each)`;
    }),
  );
  const states = [...history.finalState].map(([key, state]) => `  ${key}: ${state}`);
  return [
    `${scenario.name}: expected ${expected}, got`,
    ...calls,
    "and then",
    ...states,
    "by these steps:",
    ...turns.flatMap(describeTurn),
  ].join("\n");
}

function describeTurn({ thread, from, to }: Turn): string[] {
  const steps: string[] = [];
  for (let point = to; point !== from && point.parent !== undefined; point = point.parent) {
    const { kind, word, first, second } = point.parent.operation!;
    const values = kind.startsWith("swap") ? ` ${first} -> ${second}` : kind === "write" ? ` ${first}` : "";
    steps.push(`  ${thread}: ${kind} ${word}${values}, found ${point.found}`);
  }
  return steps.toReversed();
}
