import type { Log, LogEntry } from "./log.ts";

/** A change of the limits, and what made it. */
export interface AuditedChange {
  /** The name of a token, `files`, or `clock`. */
  readonly who: string;
  /** Such as `limits.put` or `rule.off`. */
  readonly action: string;
  readonly fields?: LogEntry["fields"];
}

/** Writes a change into the log. It is never left out. */
export function audit(log: Log, { who, action, fields }: AuditedChange): void {
  log({ level: "info", event: "audit", fields: { who, action, ...fields } });
}
