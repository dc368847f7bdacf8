import type { ThreadResults } from "../threads/report/results.ts";
import type { Machine } from "./machine.ts";
import type { Results } from "./results.ts";
import type { Judged } from "./targets.ts";

/** What `results/latest.json` holds. */
export interface Report {
  /** The day, as in 2026-01-31. */
  readonly date: string;
  readonly machine: Machine;
  readonly rounds: number;
  /** Of the libraries, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  readonly targets: readonly Judged[];
  readonly results: Results;
  readonly threads: ThreadResults;
}
