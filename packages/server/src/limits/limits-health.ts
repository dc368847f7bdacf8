import type { HealthDetails } from "../http/health.ts";
import type { LimitsStatus } from "./limits-files.ts";

/** Which limits are in force: `"kept"` if the files have mistakes by now. */
export function limitsHealth(status: () => LimitsStatus): HealthDetails {
  return () => {
    const { state, loadedAt } = status();
    return { limits: { state, loadedAt: loadedAt.toISOString() } };
  };
}
