import type { CreateContender } from "./contenders/contender.ts";
import type { Workload } from "./workload.ts";

/** One contender with one workload: a row of each of the report's tables. */
export interface Variant {
  readonly id: string;
  readonly who: string;
  /** How it is set up. */
  readonly options: string;
  readonly workload: Workload;
  /** Which client it is given: one of ioredis with its defaults, or with `enableAutoPipelining`. */
  readonly client: "plain" | "auto-pipelined";
  /** What it asks the server with, as `INFO commandstats` names it. */
  readonly command: "incr" | "evalsha";
  readonly load: () => Promise<CreateContender>;
}

export function nameOf({ workload, who }: Variant): string {
  return `${workload}, ${who}`;
}
