import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { Work } from "./work.ts";

/** What the server decided of a work, or why it did not. */
export type Outcome = TransactionOutcome | { readonly error: unknown };

/** Observers may call limiters, so they are notified after all callers were answered. */
export function notifyMoves(works: readonly Work[], outcomes: readonly Outcome[]): void {
  for (const [i, outcome] of outcomes.entries()) {
    if ("error" in outcome || outcome.moved === undefined) continue;
    for (const { key, from } of outcome.moved) {
      const { space, key: name } = works[i]!.keys[key]!;
      space.context.onMove?.(name, from, space.plan.limits);
    }
  }
}
