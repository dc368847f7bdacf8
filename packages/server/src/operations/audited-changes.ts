import type { Operator } from "../http/operator.ts";
import type { OwnChange } from "../limits/limits-in-force.ts";
import type { RuleOverride } from "../limits/rule-overrides.ts";
import { type AuditedChange, audit } from "../log/audit.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { OperationSettings } from "./operation-settings.ts";

/** Writes into the audit log what an operator has changed, with the version in force. */
export function auditChange(
  { log, inForce }: OperationSettings,
  { name, requestId }: Operator,
  action: string,
  fields: LogEntry["fields"],
): void {
  audit(log, { who: name, action, fields: { request_id: requestId, ...fields, version: inForce.version } });
}

/** Writes into the audit log what no operator asked for: files that were loaded, and overrides that ended. */
export function auditOwnChange(log: Log, change: OwnChange): void {
  audit(log, auditedChange(change));
}

function auditedChange(change: OwnChange): AuditedChange {
  switch (change.what) {
    case "files-loaded": {
      const fields = { version_before: change.before, version: change.after };
      return { who: "files", action: "limits.load", fields };
    }
    case "override-expired":
      return ended("clock", change.override, "expired");
    case "rule-gone":
      return ended(change.source, change.override, "rule-gone");
    default:
      return change satisfies never;
  }
}

function ended(who: string, { domain, rule, mode, by }: RuleOverride, why: string): AuditedChange {
  return { who, action: "rule.restore", fields: { domain, rule, mode, set_by: by, why } };
}
