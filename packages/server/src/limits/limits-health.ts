import type { HealthDetails } from "../http/health.ts";
import type { LimitsStatus } from "./limits-files.ts";
import type { LimitsInForce } from "./limits-in-force.ts";
import type { LimitsState } from "./limits-state.ts";

/** Which limits are in force: `"kept"` if the files have mistakes by now. */
export function limitsHealth(status: () => LimitsStatus): HealthDetails {
  return () => {
    const { state, loadedAt } = status();
    return { limits: { state, loadedAt: loadedAt.toISOString() } };
  };
}

/** The same, with what operators have made of the limits. Clients may see this: it names no rule. */
export function inForceHealth(status: () => LimitsStatus, inForce: LimitsInForce): HealthDetails {
  return () => {
    const { since, version, source, overrides } = inForce;
    const { state } = status();
    return { limits: { state, loadedAt: since.toISOString(), version, source, overrides: overrides.length } };
  };
}

/** The same, as the primary process has told a worker. */
export function stateHealth(state: () => LimitsState): HealthDetails {
  return () => {
    const { files, sinceMs, version, source, overrides } = state();
    const loadedAt = new Date(sinceMs).toISOString();
    return { limits: { state: files, loadedAt, version, source, overrides } };
  };
}
