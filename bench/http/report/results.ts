import type { Spread } from "../../report/spread.ts";
import type { Failure } from "../measure/rounds.ts";
import type { Framework, Front } from "../variant.ts";

/** What a run found out. */
export interface Results {
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

export interface Row {
  readonly variant: string;
  readonly framework: Framework;
  readonly front: Front;
  readonly options: string;
  readonly requestsPerSecond: Spread;
  readonly cpuUsPerRequest: Spread;
  readonly busy: Spread;
  /** Beside the bare server, in requests a second. */
  readonly ratio: Spread | undefined;
  /** Beside the bare server, in requests for the same time of the processor. */
  readonly cpuRatio: Spread | undefined;
}
