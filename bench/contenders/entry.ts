import type { JobId } from "../workloads/job.ts";
import type { CreateContender } from "./contender.ts";

/** A row of the report. */
interface Common {
  readonly id: string;
  readonly name: string;
  /** How it was set up. */
  readonly options: string;
  readonly jobs: readonly JobId[];
}

/** A library, or the empty loop, in a Node process of its own. */
export interface NodeEntry extends Common {
  readonly runs: "in Node";
  readonly family: "tollgate" | "rival" | "nothing";
  /** The most keys that it keeps; it forgets some where a job has more. */
  readonly keeps?: number;
  readonly load: () => Promise<CreateContender>;
}

/** What the same table takes in C. */
export interface NativeEntry extends Common {
  readonly runs: "natively";
  readonly family: "floor";
  readonly clock: "per-call" | "coarse";
  readonly form: "keys" | "handles";
}

export type Entry = NodeEntry | NativeEntry;
