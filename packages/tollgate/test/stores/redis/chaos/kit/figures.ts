import { causesOf, recoveries, worstOverMs } from "./findings.ts";
import type { Run } from "./traffic-run.ts";

/** The measurements of a run, for the report of the tests. */
export function figuresOf(run: Run<unknown>): string {
  const lines = worstOverMs(run).map(({ lane, ms, lagMs }) => `${lane}: ${ms} ms over its time, lag ${lagMs} ms`);
  if (isIncident(run)) {
    for (const { lane, ms } of recoveries(run)) lines.push(`${lane}: back after ${ms} ms`);
  }
  const causes = [...causesOf(run.calls)].map(([cause, times]) => `${times} ${cause}`);
  return [`${run.calls.length} calls; ${causes.join(", ")}`, ...lines].join("\n");
}

function isIncident(run: Run<unknown>): run is Run {
  const { result } = run;
  return typeof result === "object" && result !== null && "backMs" in result;
}
