import type { Decision } from "tollgate";

/** A decision as the HTTP API tells it. */
export interface DecisionJson {
  readonly allowed: boolean;
  readonly limiter: string;
  /** The name of the binding limit; null if no limit applied. */
  readonly limit: string | null;
  /** null without a limit, or if the store was unavailable. */
  readonly remaining: number | null;
  /** null if the call can never pass. */
  readonly retryAfterMs: number | null;
  readonly resetMs: number | null;
  readonly reason?: string;
  readonly violated?: readonly string[];
  readonly shadowDenied?: readonly string[];
  readonly degraded?: string;
  readonly overflowed?: true;
  readonly block?: { readonly endsInMs: number; readonly reason?: string };
}

/** JSON has no infinity: null stands for it. */
export function decisionJson(decision: Decision): DecisionJson {
  const { allowed, limiter, limit, remaining, retryAfterMs, resetMs, shadowDenied, degraded, overflowed, block } =
    decision;
  return {
    allowed,
    limiter,
    limit: limit?.name ?? null,
    remaining: finite(remaining),
    retryAfterMs: finite(retryAfterMs),
    resetMs: finite(resetMs),
    ...(!decision.allowed && { reason: decision.reason, violated: namesOf(decision.violated) }),
    ...(shadowDenied && { shadowDenied: namesOf(shadowDenied) }),
    ...(degraded !== undefined && { degraded }),
    ...(overflowed && { overflowed }),
    ...(block && { block }),
  };
}

function namesOf(limits: readonly { readonly name: string }[]): string[] {
  return limits.map(({ name }) => name);
}

function finite(number: number | undefined): number | null {
  return number !== undefined && Number.isFinite(number) ? number : null;
}
