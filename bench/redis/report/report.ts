import type { Machine } from "../../report/machine.ts";
import type { Plan } from "../measure/plan.ts";
import type { Results } from "./results.ts";
import type { Judged } from "./targets.ts";

/** What `results/redis.json` holds. */
export interface Report {
  /** The day, as in 2026-01-31. */
  readonly date: string;
  readonly machine: Machine;
  /** As in `Redis 7.0.15`. */
  readonly server: string;
  readonly plan: Plan;
  readonly rounds: number;
  /** Of what is measured, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  readonly targets: readonly Judged[];
  readonly results: Results;
}
