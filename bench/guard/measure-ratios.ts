import { CATALOG } from "../contenders/catalog.ts";
import { runRounds } from "../orchestrate/rounds.ts";
import { ratioOf } from "../report/figure.ts";
import { summarize } from "../report/summarize.ts";
import { GUARDED } from "./guarded.ts";
import type { Ratios } from "./judge.ts";
import { tasksFor } from "./tasks.ts";

/**
 * Measures guarded ratios within one run.
 *
 * @throws Error when a contender failed: without one of its rivals, the fastest may be another.
 */
export async function measureRatios(names: readonly string[], rounds: number): Promise<Ratios> {
  const ratios = Object.entries(GUARDED).filter(([name]) => names.includes(name));
  const tasks = tasksFor(ratios.map(([, ratio]) => ratio));
  const results = summarize(await runRounds(tasks, rounds), CATALOG);
  if (results.misses.length > 0) {
    throw new Error(results.misses.map(({ what, reason }) => `${what} could not be measured: ${reason}`).join("\n"));
  }
  return Object.fromEntries(
    ratios.flatMap(([name, ratio]) => {
      const value = ratioOf(ratio, results);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
