import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import type { KeyAction, KeyResult } from "./source.ts";

/** A bound key, whatever the kind of its limiter. */
export type OperatedKey = Pick<
  ReturnType<AnyLimiter["byKey"]>,
  "explain" | "blockedUntil" | "reset" | "block" | "unblock"
>;

/**
 * Carries out what an operator does to a key. Throws and rejects as the verbs do. Exported for the `tollgate` command
 * only, whose workers do the same.
 *
 * @internal
 */
export async function operateKey(handle: OperatedKey, action: KeyAction): Promise<KeyResult> {
  const blockedUntilMs = async () => (await handle.blockedUntil()) ?? null;
  switch (action.verb) {
    case "explain": {
      const limits = await handle.explain(action.cost);
      // The key may be masked for the operator.
      const shown = limits.map(({ limiter: _name, key: _key, lease: _lease, ...status }) => status);
      return { limits: shown, blockedUntilMs: await blockedUntilMs() };
    }
    case "reset":
      await handle.reset();
      return {};
    case "block": {
      const { span, reason } = action;
      await handle.block(span, reason === undefined ? {} : { reason });
      return { blockedUntilMs: await blockedUntilMs() };
    }
    case "unblock":
      return { wasBlocked: await handle.unblock() };
    default:
      return action satisfies never;
  }
}
