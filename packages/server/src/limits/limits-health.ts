import type { HealthDetails } from "../http/health.ts";
import type { LimitsStatus } from "./limits-files.ts";
import type { LimitsSummary } from "./limits-state.ts";

/** Which limits are in force: `"kept"` if the files have mistakes by now. */
export function limitsHealth(status: () => LimitsStatus): HealthDetails {
  return () => {
    const { state, loadedAt } = status();
    return { limits: { state, loadedAt: loadedAt.toISOString() } };
  };
}

/** The same, with what operators have made of the limits. Clients may see this: it names no rule. */
export function inForceHealth(summary: () => LimitsSummary): HealthDetails {
  return () => {
    const { files: state, sinceMs, version, source, overrides } = summary();
    return { limits: { state, loadedAt: new Date(sinceMs).toISOString(), version, source, overrides } };
  };
}
