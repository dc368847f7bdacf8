import type { BlockTime, LimitStatus } from "tollgate";
import type { Limits } from "tollgate/config";

/** What an operator does to the key of a rule. */
export interface KeyCall {
  readonly domain: string;
  readonly rule: string;
  readonly key: string | readonly string[];
  readonly action: KeyAction;
}

export type KeyAction =
  /** Whether a cost would pass: 1 by default. */
  | { readonly verb: "explain"; readonly cost?: number }
  | { readonly verb: "reset" | "unblock" }
  | { readonly verb: "block"; readonly span: BlockTime; readonly reason: string | undefined };

/** The state of a limit, as JSON has it: null stands for infinity. */
export type KeyStatus = Pick<LimitStatus, "name" | "unit" | "capacity" | "used" | "remaining" | "allowed" | "mode"> & {
  readonly retryAfterMs: number | null;
  readonly resetMs: number | null;
};

/** What a call came to, as far as its verb says so. */
export interface KeyResult {
  /** What `explain` tells. */
  readonly limits?: readonly KeyStatus[];
  /** What `explain` and `block` tell, in milliseconds since the epoch. */
  readonly blockedUntil?: number | undefined;
  /** What `unblock` tells. */
  readonly wasBlocked?: boolean;
}

/** Carries out a call by limits of this process. Throws and rejects as their verbs do. */
export async function operateKey(limits: Limits | Limits<"async">, call: KeyCall): Promise<KeyResult> {
  const { domain, rule, key, action } = call;
  const handle = limits.byKey(domain, rule, key);
  switch (action.verb) {
    case "explain": {
      const statuses: readonly LimitStatus[] = await handle.explain(action.cost);
      return { limits: statuses.map(statusOf), blockedUntil: await handle.blockedUntil() };
    }
    case "reset":
      await handle.reset();
      return {};
    case "block": {
      const { span, reason } = action;
      await handle.block(span, reason === undefined ? {} : { reason });
      return { blockedUntil: await handle.blockedUntil() };
    }
    case "unblock":
      return { wasBlocked: await handle.unblock() };
    default:
      return action satisfies never;
  }
}

function statusOf(status: LimitStatus): KeyStatus {
  const { name, unit, capacity, used, remaining, retryAfterMs, resetMs, allowed, mode } = status;
  return {
    name,
    unit,
    capacity,
    used,
    remaining,
    retryAfterMs: finite(retryAfterMs),
    resetMs: finite(resetMs),
    allowed,
    mode,
  };
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
