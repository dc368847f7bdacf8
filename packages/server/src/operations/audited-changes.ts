import type { Operator } from "../http/operator.ts";
import type { OwnChange } from "../limits/limits-in-force.ts";
import type { RuleOverride } from "../limits/rule-overrides.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { OperationSettings } from "./operation-settings.ts";

/** Writes into the audit log what an operator has changed, such as `limits.put`, with the version in force. */
export function auditChange(
  { log, inForce }: OperationSettings,
  { name, requestId }: Operator,
  action: string,
  fields: LogEntry["fields"],
): void {
  audit(log, name, action, { request_id: requestId, ...fields, version: inForce.version });
}

/** Writes into the audit log what no operator asked for: files that were loaded, and overrides that ended. */
export function auditOwnChange(log: Log, change: OwnChange): void {
  if (change.what === "files-loaded")
    audit(log, "files", "limits.load", { version_before: change.before, version: change.after });
  else if (change.what === "override-expired") auditEnd(log, "clock", change.override, "expired");
  else auditEnd(log, change.source, change.override, change.what);
}

function auditEnd(log: Log, who: string, { domain, rule, mode, by }: RuleOverride, why: string): void {
  audit(log, who, "rule.restore", { domain, rule, mode, set_by: by, why });
}

/** It is never left out. */
function audit(log: Log, who: string, action: string, fields: LogEntry["fields"]): void {
  log({ level: "info", event: "audit", fields: { who, action, ...fields } });
}
