import type { Report } from "../../../core/report.ts";
import type { KeyCall } from "./key-call.ts";

/** What remembers the server's decisions, told in the order in which the server made them. */
export interface DenialMemory {
  /** How often units have been given back or charged so far: a denial that was asked for before is not remembered. */
  readonly changes: number;
  admitted(call: KeyCall): void;
  /** `nowUs`: the server decided then or later. `changes`: how many there had been when the call was made. */
  denied(call: KeyCall, report: Report, nowUs: number, changes: number): void;
}
