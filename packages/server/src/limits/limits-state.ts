import type { LimitsStatus } from "./limits-files.ts";
import type { LimitsSource } from "./limits-in-force.ts";
import type { LimitsPiece } from "./limits-pieces.ts";
import type { RuleOverride } from "./rule-overrides.ts";

/** Which limits the primary process has put in force. Workers ask for the file itself if they do not have it. */
export interface LimitsState {
  /** Counts the changes: a state with a greater one is a later one. */
  readonly number: number;
  /** That of the file, without overrides. */
  readonly version: string;
  readonly source: LimitsSource;
  readonly sinceMs: number;
  readonly overrides: readonly RuleOverride[];
  /** Whether the files have been refused since. */
  readonly files: LimitsStatus["state"];
  /** The domain that decides `/check`. It stays when other limits have another first domain. */
  readonly checkDomain: string | undefined;
  /** With it, workers hash facts of requests that they keep for operators. `undefined`: they keep no requests. */
  readonly salt: string | undefined;
}

/** The primary process, as workers ask it for limits. */
export interface LimitsLead {
  /** `undefined` if each worker reads the files itself. */
  state(): Promise<LimitsState | undefined>;
  /** A piece of the file of a version. `undefined` if another version is in force by now. */
  piece(version: string, index: number): Promise<LimitsPiece | undefined>;
}
